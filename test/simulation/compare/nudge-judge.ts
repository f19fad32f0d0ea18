import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { timestamp } from '#shared/core/clock.ts'
import { findPresence } from '#shared/domain/sessions/presence.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { offerTo } from '../actions/offer.ts'
import type { Client } from '../models/account-model.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Link } from '../world/simulated-channel.ts'
import { byId, contentsOf } from './compare-heartbeat.ts'

type Stored = Record<string, unknown> & { id: string; expires_at: string; gateway_id: string; client_id: string }

/** Expects that a change caused each nudge, and that each change results in a nudge. */
export class NudgeJudge {
  readonly #account: SimulatedAccount
  readonly #contents = new Map<string, string>()
  readonly #stored = new Map<string, Map<string, Stored>>()
  /**
   * Devices that changed since the last complete follow-up (`#changed`) and between the two previous ones (`#before`), because a nudge can
   * arrive late.
   */
  #changed = new Set<string>()
  #before = new Set<string>()
  /** Resources offered to each connected client when the follow-up consumer last had no pending work, or when the client connected, if later. */
  readonly #offers = new Map<Link, string>()
  readonly #removed: Stored[] = []

  constructor(account: SimulatedAccount) {
    this.#account = account
  }

  /** Records changes in the model and the table. Must be called after each action that can cause a change. */
  async look(): Promise<void> {
    const { model, id: account } = this.#account
    const note = (id: string, content: string) => {
      if (this.#contents.get(id) !== content) this.#changed.add(id)
      this.#contents.set(id, content)
    }
    for (const gateway of model.gateways.values()) note(gateway.id, JSON.stringify(contentsOf(this.#account, gateway)))
    for (const [link, client] of this.#clients()) {
      const { grounds, offer } = offerTo(this.#account, client)
      note(client.id, grounds)
      if (this.#offers.has(link)) continue
      this.#offers.set(link, offer)
      // Marks a newly connected client as changed, because the service may follow up earlier changes only now.
      this.#changed.add(client.id)
    }
    for (const gateway of new Set([...this.#stored.keys(), ...model.gateways.keys()])) {
      const items = await queryItems<Stored & { pk: string; sk: string }>(partition(account, 'authorizations', gateway))
      const now = new Map(items.map((item): [string, Stored] => [item.id, item]))
      const before = this.#stored.get(gateway) ?? new Map<string, Stored>()
      for (const [id, item] of before) if (!now.has(id)) this.#removed.push(item)
      this.#stored.set(gateway, now)
    }
  }

  #clients(): [Link, Client][] {
    const { channel, model } = this.#account
    return [...channel.links.values()].flatMap((link): [Link, Client][] => {
      const client = model.clients.get(link.device)
      return client?.session?.id === link.session ? [[link, client]] : []
    })
  }

  /** Expects a recorded change for each nudge. */
  judge(): void {
    for (const [kind, ids] of Object.entries(this.#account.channel.nudged)) {
      for (const id of ids.splice(0)) {
        const isFounded = this.#changed.has(id) || this.#before.has(id) || this.#holdsOther(id)
        agree(`whether ${id} of the ${kind} was nudged for a change`, isFounded, true)
        this.#account.note(`nudge of ${kind}`, id)
      }
    }
  }

  /** True if the gateway's authorizations are outdated, because a client's session has expired since the gateway's last heartbeat. */
  #holdsOther(id: string): boolean {
    const [gateway, state] = [this.#account.model.gateways.get(id), this.#account.gatewayStates.get(id)]
    return !!gateway && !!state && !isDeepStrictEqual(byId(state.authorizations), contentsOf(this.#account, gateway))
  }

  /** Expects that a connected gateway is nudged within two seconds after a new authorization is granted. */
  async judgeGrants(): Promise<void> {
    const { channel, model, granted } = this.#account
    for (const id of granted.splice(0)) {
      const link = channel.links.get(id)
      if (!link || model.gateways.get(id)?.session?.id !== link.session) continue
      for (let waits = 0; link.sent === 0 && waits < 100; waits++) await sleep(20)
      agree(`whether gateway ${id} was notified of a grant`, link.sent > 0, true)
    }
  }

  /**
   * Delivers deleted authorizations to the consumer as the table's stream does. Expects a nudge for each affected connected device. Also
   * expects that a device whose session an administrator ended is disconnected.
   */
  async followUp(): Promise<void> {
    const { channel, clock, model, random } = this.#account
    const ended = this.#removed.splice(0)
    const Records = ended.map((item, i) => ({
      eventName: 'REMOVE',
      dynamodb: { SequenceNumber: String(i + 1), OldImage: marshall(item, { removeUndefinedValues: true }) },
    }))
    const now = timestamp(clock.now)
    const revoked: Stored[] = []
    for (const item of ended) if (item.expires_at > now && !(await this.#hasLapsed(item.client_id))) revoked.push(item)
    for (const { gateway_id } of revoked) this.#changed.add(gateway_id)
    const event = { Records } as unknown as DynamoDBStreamEvent
    // Sometimes delivers the batch twice, because AWS Lambda processes a stream batch at least once.
    if (ended.length > 0) for (let times = random.chance(0.2) ? 2 : 1; times > 0; times--) await followUp(event)
    for (const { gateway_id: id } of revoked) {
      const link = channel.links.get(id)
      if (!link || model.gateways.get(id)?.session?.id !== link.session) continue
      agree(`whether gateway ${id} was notified of an end`, link.sent > 0, true)
      this.#account.note('notified of an end')
    }
    for (const [link, client] of this.#clients()) {
      const { offer } = offerTo(this.#account, client)
      if (offer === this.#offers.get(link)) continue
      agree(`whether client ${client.id} was notified of a change`, link.sinceFollowUp > 0, true)
      this.#account.note('notified of a change')
    }
    for (const link of channel.links.values())
      agree(`why device ${link.device} is connected, whose session has ended`, this.#hasBeenEnded(link), false)
  }

  /** True if the device was deleted, or if the client's token was deleted before its expiry (P1.7). */
  #hasBeenEnded({ device, token }: Link): boolean {
    const { model, clock } = this.#account
    const isThere = model.clients.has(device) || model.gateways.has(device)
    return !isThere || (token !== null && token.expiresAt > clock.now && !model.tokens.has(token.id))
  }

  /** True if the client's lease has expired, so that its authorizations were invalid before their deletion. */
  async #hasLapsed(client: string): Promise<boolean> {
    const end = (await findPresence(this.#account.id, 'clients', client))?.lease_expires_at ?? 0
    return end > 0 && end <= this.#account.clock.now
  }

  /** Marks all changes as followed up. */
  settled(): void {
    this.#before = this.#changed
    this.#changed = new Set()
    this.#offers.clear()
    for (const [link, client] of this.#clients()) {
      this.#offers.set(link, offerTo(this.#account, client).offer)
      link.sinceFollowUp = 0
    }
  }
}

import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { timestamp } from '#shared/core/clock.ts'
import { findPresence } from '#shared/domain/presence/presence.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { agree } from './agree.ts'
import { contentsOf } from './compare-heartbeat.ts'
import type { SimulatedAccount } from './simulated-account.ts'

type Stored = Record<string, unknown> & { id: string; expires_at: string; gateway_id: string; client_id: string }

/** What gateways hold and held, by which nudges are judged. */
export class NudgeJudge {
  readonly #account: SimulatedAccount
  readonly #contents = new Map<string, string>()
  readonly #stored = new Map<string, Map<string, Stored>>()
  /** Gateways whose authorizations changed since all was followed up, and those before: a nudge of a grant can be late. */
  #changed = new Set<string>()
  #before = new Set<string>()
  readonly #removed: Stored[] = []

  constructor(account: SimulatedAccount) {
    this.#account = account
  }

  /** Looks at what has changed. After each thing that can change it. */
  async look(): Promise<void> {
    const { model, id: account } = this.#account
    for (const gateway of model.gateways.values()) {
      const content = JSON.stringify(contentsOf(this.#account, gateway))
      if (this.#contents.get(gateway.id) !== content) this.#changed.add(gateway.id)
      this.#contents.set(gateway.id, content)
    }
    for (const gateway of new Set([...this.#stored.keys(), ...model.gateways.keys()])) {
      const items = await queryItems<Stored & { pk: string; sk: string }>(partition(account, 'authorizations', gateway))
      const now = new Map(items.map((item): [string, Stored] => [item.id, item]))
      const before = this.#stored.get(gateway) ?? new Map<string, Stored>()
      for (const [id, item] of before) if (!now.has(id)) this.#removed.push(item)
      this.#stored.set(gateway, now)
    }
  }

  /** No gateway is nudged for what did not change. */
  judge(): void {
    for (const gateway of this.#account.channel.nudged.splice(0)) {
      agree(
        `whether gateway ${gateway} was nudged for a change`,
        true,
        this.#changed.has(gateway) || this.#before.has(gateway),
      )
      this.#account.note('nudge', gateway)
    }
  }

  /** Follows up the ends of authorizations, as the table's stream tells them: each gateway that is connected is told. */
  async followUp(): Promise<void> {
    const { channel, clock } = this.#account
    const ended = this.#removed.splice(0)
    if (ended.length === 0) return
    const Records = ended.map((item, i) => ({
      eventName: 'REMOVE',
      dynamodb: { SequenceNumber: String(i + 1), OldImage: marshall(item, { removeUndefinedValues: true }) },
    }))
    const now = timestamp(clock.now)
    const lost = ended
      .filter(({ expires_at }) => expires_at > now)
      .filter(({ client_id }) => !this.#hasLapsed(client_id))
    for (const { gateway_id } of lost) this.#changed.add(gateway_id)
    const links = lost
      .flatMap(({ gateway_id }) => channel.links.get(gateway_id) ?? [])
      .filter((link) => this.#account.model.gateways.get(link.gateway)?.session?.id === link.session)
    const event = { Records } as unknown as DynamoDBStreamEvent
    // A batch can come twice.
    for (let times = this.#account.random.chance(0.2) ? 2 : 1; times > 0; times--) await followUp(event)
    for (const { gateway, sent } of links) agree(`whether gateway ${gateway} was told of an end`, sent > 0, true)
  }

  /** Whether a client fell silent for longer than its lease: what it was authorized for was in force no more before it was deleted. */
  async #hasLapsed(client: string): Promise<boolean> {
    const end = (await findPresence(this.#account.id, 'clients', client))?.lease_expires_at ?? 0
    return end > 0 && end <= this.#account.clock.now
  }

  /** All changes were followed up. */
  settled(): void {
    this.#before = this.#changed
    this.#changed = new Set()
  }
}

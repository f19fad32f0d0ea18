import { randomUUID } from 'node:crypto'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { type Answer, call } from '#test/support/accounts/account.ts'
import { AccessModel } from '../models/access-model.ts'
import { AccountModel, type Place } from '../models/account-model.ts'
import { headersFrom, places } from './places.ts'
import type { SeededRandom } from './seeded-random.ts'
import { SimulatedChannel } from './simulated-channel.ts'
import type { SimulatedClock } from './simulated-clock.ts'

type Request = { method?: string; params?: Record<string, string>; body?: unknown; query?: Record<string, string> }

const home = places[0] as Place

export class SimulatedAccount {
  readonly random: SeededRandom
  readonly clock: SimulatedClock
  readonly model = new AccountModel()
  readonly access = new AccessModel(this.model)
  readonly channel = new SimulatedChannel()
  /** Authorizations and `since` value that each gateway had after its last heartbeat, by gateway id. */
  readonly gatewayStates = new Map<
    string,
    { session: string; since: string | null; authorizations: Map<string, unknown> }
  >()
  /** Ids of gateways with new authorizations whose nudges have not been checked yet. */
  readonly granted: string[] = []
  readonly tally = new Map<string, number>()
  readonly latest: string[] = []
  id = ''
  private token = ''

  constructor(random: SeededRandom, clock: SimulatedClock) {
    this.random = random
    this.clock = clock
  }

  /** Provisions the account with limits that the simulation never reaches. */
  async open(): Promise<void> {
    const result = await provision({
      account: {
        name: 'Simulated',
        slug: `simulated-${randomUUID()}`,
        limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 },
      },
      admin: { name: 'Ada', email: 'ada@example.com' },
      token_in: 'answer',
      api_token: { expires_at: '2099-01-01T00:00:00Z' },
    })
    // biome-ignore lint/suspicious/noExplicitAny: the result of the provisioning function
    const { data } = result as any
    this.id = data.account.id
    this.token = data.api_token.token
    this.model.actors.set(data.admin.id, { id: data.admin.id, type: data.admin.type, disabled: false })
    this.model.actors.set(data.api_client.id, { id: data.api_client.id, type: 'api_client', disabled: false })
    this.settle()
  }

  /** Updates the account as an operator does (A32). */
  async updateAccount(changes: Record<string, unknown>): Promise<void> {
    // biome-ignore lint/suspicious/noExplicitAny: the result of the provisioning function
    const { error } = (await provision({ operation: 'update_account', account_id: this.id, account: changes })) as any
    if (error) throw new Error(`The service refused ${JSON.stringify(changes)}: ${JSON.stringify(error)}`)
  }

  ask(handler: Handler, request: Request): Promise<Answer> {
    return call(handler, { path: '/simulation', ...request, token: this.token, headers: headersFrom(home) })
  }

  /** Sends an administrator's request, which must succeed, and returns the `data` of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  async administer(handler: Handler, request: Request): Promise<any> {
    const answer = await this.ask(handler, request)
    if (answer.status > 201) throw new Error(`The service refused ${JSON.stringify(request)}: ${answer.text}`)
    return answer.body.data
  }

  /** Sends a device's request from the given place. */
  from(place: Place, token: string, handler: Handler, request: Request): Promise<Answer> {
    return call(handler, { path: '/simulation', ...request, token, headers: headersFrom(place) })
  }

  /** Counts an action or check, and records it. If a comparison fails, its error lists the latest 20. */
  note(what: string, detail: unknown = ''): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1)
    this.latest.push(`${new Date(this.clock.now / 1000).toISOString()} ${what} ${JSON.stringify(detail)}`)
    if (this.latest.length > 20) this.latest.shift()
  }

  /** Picks a resource. Often picks one of the oldest, because they have many policies. */
  someResourceId(): string {
    return this.random.pick([...this.model.resources.keys()].slice(0, this.random.chance(0.5) ? 15 : undefined))
  }

  /** Picks a site. Often picks one of the first two, because they have many objects. */
  someSite(): string {
    return this.random.pick([...this.model.sites].slice(0, this.random.chance(0.5) ? 2 : undefined))
  }

  settle(): void {
    this.model.settle(this.clock.now)
  }
}

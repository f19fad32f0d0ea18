import { Heartbeats } from './heartbeats.ts'
import { keepaliveSeconds } from './intervals.ts'
import { type Live, LiveChannel } from './live-channel.ts'
import { Problem, Service } from './service.ts'

/** Who may reach what through this gateway (P4). */
export type Authorization = {
  id: string
  client: { id: string; ipv4: string; ipv6: string; public_key: string }
  resource: { id: string; name: string; address: string | null }
  expires_at: string
  /** Reports what flows, with `POST /ingestion/flow_logs`. */
  ingest_token: string
}

type Started = { id: string; heartbeat_secs: number; live: Live }

type Answer = {
  id: string
  live: Live
  since: string
  complete: boolean
  authorizations: Authorization[] | null
  added: Authorization[] | null
  removed: string[] | null
  more: boolean
}

type Changed = (change: { added: Authorization[]; removed: string[] }) => void

/** A gateway: it holds what is in force, and changes it within a second of the service. */
export class Gateway {
  readonly authorizations = new Map<string, Authorization>()
  readonly #service: Service
  readonly #publicKey: string
  readonly #changed: Changed
  readonly #heartbeats = new Heartbeats(() => this.#beat())
  readonly #channel = new LiveChannel({
    opened: () => this.#heartbeats.soon(),
    // It keeps its heartbeats while it is connected: a nudge that is lost then costs half a minute, as without the channel.
    closed: () => undefined,
    received: ({ type }) => {
      if (type === 'authorizations') this.#heartbeats.soon()
    },
  })
  #session: string | undefined
  #since: string | undefined

  constructor(baseUrl: string, token: string, publicKey: string, changed: Changed) {
    this.#service = new Service(baseUrl, token)
    this.#publicKey = publicKey
    this.#changed = changed
  }

  /** Works until `stop`. @throws Problem when the token does not count any more (401) */
  async run(): Promise<void> {
    await this.#start()
    try {
      await this.#heartbeats.run()
    } finally {
      this.#channel.close()
    }
  }

  async stop(): Promise<void> {
    this.#heartbeats.stop()
    if (this.#session) await this.#service.ask('DELETE', `/gateway/sessions/${this.#session}`).catch(() => undefined)
  }

  async #start(): Promise<void> {
    const session = { public_key: this.#publicKey, version: '1.4.0' }
    const started = await this.#service.ask<Started>('POST', '/gateway/sessions', { session })
    this.#session = started.id
    this.#since = undefined
    this.#heartbeats.every(started.heartbeat_secs)
    this.#connect(started)
    this.#heartbeats.soon()
  }

  /** Its heartbeats are signs of life already: a keepalive only keeps the platform from ending an idle connection. */
  #connect({ live, id }: Pick<Started, 'live' | 'id'>): void {
    this.#channel.open(live, id, this.#service.headers, keepaliveSeconds)
  }

  async #beat(): Promise<void> {
    try {
      // There can be more than one answer holds, and news while it is put together.
      if (await this.#ask()) this.#heartbeats.soon()
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 401) throw error
      // The session is over: a new one begins, with everything that is in force. Other faults pass, or last until somebody
      // looks; until then what is held stays in force for as long as each authorization says.
      if (error.status === 404) await this.#start()
      else this.#heartbeats.soon(10_000)
    }
  }

  /** True when there is more to ask for at once. */
  async #ask(): Promise<boolean> {
    const path = `/gateway/sessions/${this.#session}`
    const session = this.#since === undefined ? {} : { since: this.#since }
    const answer = await this.#service.ask<Answer>('PUT', path, { session })
    this.#connect(answer)
    const listed = answer.authorizations ?? answer.added ?? []
    const kept = new Set(listed.map(({ id }) => id))
    // A complete answer names all: what it does not name is gone, unless more follows.
    const removed = answer.removed ?? (answer.more ? [] : [...this.authorizations.keys()].filter((id) => !kept.has(id)))
    const added = listed.filter(({ id }) => !this.authorizations.has(id))
    for (const id of removed) this.authorizations.delete(id)
    for (const authorization of listed) this.authorizations.set(authorization.id, authorization)
    this.#since = answer.since
    if (added.length + removed.length > 0) this.#changed({ added, removed })
    return answer.more
  }
}

import { Heartbeats } from './heartbeats.ts'
import { keepaliveSeconds } from './intervals.ts'
import { LiveChannel, type LiveEndpoint } from './live-channel.ts'
import { Problem, Service } from './service.ts'

/** Authorization of a client to reach a resource through this gateway (P4). */
export type Authorization = {
  id: string
  client: { id: string; ipv4: string; ipv6: string; public_key: string }
  resource: { id: string; name: string; address: string | null }
  expires_at: string
  /** Token for reports of its flows with `POST /ingestion/flow_logs`. */
  ingest_token: string
}

type StartResponse = { id: string; heartbeat_secs: number; live: LiveEndpoint }

type HeartbeatResponse = {
  id: string
  live: LiveEndpoint
  since: string
  complete: boolean
  authorizations: Authorization[] | null
  added: Authorization[] | null
  removed: string[] | null
  more: boolean
}

type OnChange = (change: { added: Authorization[]; removed: string[] }) => void

/** Example gateway: keeps the authorizations in force up to date, within a second of each change. */
export class Gateway {
  readonly authorizations = new Map<string, Authorization>()
  readonly #service: Service
  readonly #publicKey: string
  readonly #onChange: OnChange
  readonly #heartbeats = new Heartbeats(() => this.#sendHeartbeat())
  readonly #channel = new LiveChannel({
    opened: () => this.#heartbeats.soon(),
    // The interval stays the same while connected: a lost nudge then delays a change by half a minute at most.
    closed: () => undefined,
    received: ({ type }) => {
      if (type === 'authorizations') this.#heartbeats.soon()
    },
  })
  #sessionId: string | undefined
  #since: string | undefined

  constructor(baseUrl: string, token: string, publicKey: string, onChange: OnChange) {
    this.#service = new Service(baseUrl, token)
    this.#publicKey = publicKey
    this.#onChange = onChange
  }

  /** Starts a session and sends heartbeats until `stop`. @throws Problem when the token is no longer valid (401) */
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
    if (this.#sessionId)
      await this.#service.request('DELETE', `/gateway/sessions/${this.#sessionId}`).catch(() => undefined)
  }

  async #start(): Promise<void> {
    const session = { public_key: this.#publicKey, version: '1.4.0' }
    const started = await this.#service.request<StartResponse>('POST', '/gateway/sessions', { session })
    this.#sessionId = started.id
    this.#since = undefined
    this.#heartbeats.every(started.heartbeat_secs)
    this.#connect(started)
    this.#heartbeats.soon()
  }

  /** Opens the channel with a long keepalive interval: heartbeats renew the lease, and a keepalive only prevents an idle time-out. */
  #connect({ live, id }: Pick<StartResponse, 'live' | 'id'>): void {
    this.#channel.open(live, id, this.#service.headers, keepaliveSeconds)
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      // One response may not contain all changes, and more changes may occur while it is built.
      if (await this.#update()) this.#heartbeats.soon()
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 401) throw error
      // 404: the session has ended, so a new one starts with a complete list. On any other error the gateway retries, and its
      // authorizations stay in force until they expire.
      if (error.status === 404) await this.#start()
      else this.#heartbeats.soon(10_000)
    }
  }

  /** Sends a heartbeat and applies its changes. Returns true if another heartbeat must follow at once. */
  async #update(): Promise<boolean> {
    const path = `/gateway/sessions/${this.#sessionId}`
    const session = this.#since === undefined ? {} : { since: this.#since }
    const response = await this.#service.request<HeartbeatResponse>('PUT', path, { session })
    this.#connect(response)
    const listed = response.authorizations ?? response.added ?? []
    const listedIds = new Set(listed.map(({ id }) => id))
    // A complete response lists all authorizations: those missing in it are removed, unless `more` is true.
    const removed =
      response.removed ?? (response.more ? [] : [...this.authorizations.keys()].filter((id) => !listedIds.has(id)))
    const added = listed.filter(({ id }) => !this.authorizations.has(id))
    for (const id of removed) this.authorizations.delete(id)
    for (const authorization of listed) this.authorizations.set(authorization.id, authorization)
    this.#since = response.since
    if (added.length + removed.length > 0) this.#onChange({ added, removed })
    return response.more
  }
}

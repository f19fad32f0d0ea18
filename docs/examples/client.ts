import { Heartbeats } from './heartbeats.ts'
import { connectedSeconds } from './intervals.ts'
import { LiveChannel, type LiveEndpoint } from './live-channel.ts'
import { Problem, Service } from './service.ts'

/** A resource to which this client can connect (P3). */
export type Resource = { id: string; name: string; address: string | null }

/** An authorization to reach a resource through a gateway until `expires_at` (P5.5). */
export type GrantedAuthorization = {
  id: string
  gateway: { id: string; ipv4: string; ipv6: string; public_key: string }
  expires_at: string
  ingest_token: string
}

type SessionResponse = {
  id: string
  client: { ipv4: string }
  resources: Resource[]
  resources_cursor: string | null
  heartbeat_secs: number
  live: LiveEndpoint
}

type Page = { data: Resource[]; metadata: { next_page: string | null } }

type Options = { baseUrl: string; token: string; installation: string; publicKey: string }

/** Example client: keeps the list of its resources up to date, and requests authorizations on demand. */
export class Client {
  resources: Resource[] = []
  /** The client's own address in the tunnel; empty before its session starts. */
  ipv4 = ''
  readonly #service: Service
  readonly #options: Options
  readonly #onChange: (resources: Resource[]) => void
  readonly #heartbeats = new Heartbeats(() => this.#sendHeartbeat())
  readonly #channel = new LiveChannel({
    opened: () => {
      this.#heartbeats.every(connectedSeconds)
      this.#heartbeats.soon()
    },
    closed: () => this.#heartbeats.every(this.#heartbeatSeconds),
    received: (message) => {
      // `within_ms` spreads the heartbeats of many clients after a change that concerns all of them.
      if (message.type === 'resources') this.#heartbeats.soon(message.within_ms)
      if (message.type === 'session_ended') this.#heartbeats.soon()
    },
  })
  #heartbeatSeconds = 30
  #sessionId: string | undefined

  constructor(options: Options, onChange: (resources: Resource[]) => void = () => undefined) {
    this.#service = new Service(options.baseUrl, options.token)
    this.#options = options
    this.#onChange = onChange
  }

  /** Starts a session, which `run` then keeps alive. @throws Problem if the token is not valid (401) */
  async start(): Promise<void> {
    const { installation, publicKey } = this.#options
    const session = { svc_id: installation, public_key: publicKey, version: '1.4.0' }
    const started = await this.#service.request<SessionResponse>('POST', '/client/sessions', { session })
    this.#sessionId = started.id
    this.ipv4 = started.client.ipv4
    this.#heartbeats.every(started.heartbeat_secs)
    await this.#applyResponse(started)
  }

  /** Sends heartbeats until `stop`. @throws Problem when the token is no longer valid (401) */
  async run(): Promise<void> {
    try {
      await this.#heartbeats.run()
    } finally {
      this.#channel.close()
    }
  }

  async stop(): Promise<void> {
    this.#heartbeats.stop()
    if (this.#sessionId)
      await this.#service.request('DELETE', `/client/sessions/${this.#sessionId}`).catch(() => undefined)
  }

  /** Requests access to a resource. A repeated call returns the same authorization. @throws Problem with the refusal */
  connect(resourceId: string): Promise<GrantedAuthorization> {
    const authorization = { resource_id: resourceId, session_id: this.#sessionId }
    return this.#service.request<GrantedAuthorization>('POST', '/client/authorizations', { authorization })
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      await this.#applyResponse(
        await this.#service.request<SessionResponse>('PUT', `/client/sessions/${this.#sessionId}`),
      )
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 401) throw error
      // 404: the session has ended, for example because this installation started another one. Other errors are transient.
      if (error.status === 404) await this.start()
      else this.#heartbeats.soon(10_000)
    }
  }

  async #applyResponse({ id, resources, resources_cursor, heartbeat_secs, live }: SessionResponse): Promise<void> {
    this.#heartbeatSeconds = heartbeat_secs
    this.#channel.open(live, id, this.#service.headers)
    const all = [...resources, ...(resources_cursor === null ? [] : await this.#remainingResources(resources_cursor))]
    const hasChanged = JSON.stringify(all) !== JSON.stringify(this.resources)
    this.resources = all
    if (hasChanged) this.#onChange(all)
  }

  /** Reads the remaining pages of resources from a cursor. */
  async #remainingResources(cursor: string): Promise<Resource[]> {
    const resources: Resource[] = []
    for (let next: string | null = cursor; next !== null; ) {
      const path: string = `/client/sessions/${this.#sessionId}/resources?page_cursor=${encodeURIComponent(next)}`
      const page: Page = await this.#service.send('GET', path)
      resources.push(...page.data)
      next = page.metadata.next_page
    }
    return resources
  }
}

import { Heartbeats } from './heartbeats.ts'
import { connectedSeconds } from './intervals.ts'
import { type Live, LiveChannel } from './live-channel.ts'
import { Problem, Service } from './service.ts'

/** Something that this client can connect to (P3). */
export type Resource = { id: string; name: string; address: string | null }

/** The way to it, for as long as it lasts (P5.5). */
export type Way = {
  id: string
  gateway: { id: string; ipv4: string; ipv6: string; public_key: string }
  expires_at: string
  ingest_token: string
}

type Answer = {
  id: string
  client: { ipv4: string }
  resources: Resource[]
  resources_cursor: string | null
  heartbeat_secs: number
  live: Live
}

type Page = { data: Resource[]; metadata: { next_page: string | null } }

type Options = { baseUrl: string; token: string; installation: string; publicKey: string }

/** A client: it knows what it can connect to, and asks for the way when somebody wants to. */
export class Client {
  resources: Resource[] = []
  /** Its own address in the tunnel, once it has begun a session. */
  ipv4 = ''
  readonly #service: Service
  readonly #options: Options
  readonly #changed: (resources: Resource[]) => void
  readonly #heartbeats = new Heartbeats(() => this.#beat())
  readonly #channel = new LiveChannel({
    opened: () => {
      this.#heartbeats.every(connectedSeconds)
      this.#heartbeats.soon()
    },
    closed: () => this.#heartbeats.every(this.#heartbeatSeconds),
    received: (message) => {
      // A change that concerns thousands says in how long to ask, so that they do not all ask at once.
      if (message.type === 'resources') this.#heartbeats.soon(message.within_ms)
      if (message.type === 'session_ended') this.#heartbeats.soon()
    },
  })
  #heartbeatSeconds = 30
  #session: string | undefined

  constructor(options: Options, changed: (resources: Resource[]) => void = () => undefined) {
    this.#service = new Service(options.baseUrl, options.token)
    this.#options = options
    this.#changed = changed
  }

  /** Begins a session; from then on `run` keeps it. @throws Problem when the token does not count (401) */
  async start(): Promise<void> {
    const { installation, publicKey } = this.#options
    const session = { svc_id: installation, public_key: publicKey, version: '1.4.0' }
    const started = await this.#service.ask<Answer>('POST', '/client/sessions', { session })
    this.#session = started.id
    this.ipv4 = started.client.ipv4
    this.#heartbeats.every(started.heartbeat_secs)
    await this.#note(started)
  }

  /** Works until `stop`. @throws Problem when the token does not count any more (401) */
  async run(): Promise<void> {
    try {
      await this.#heartbeats.run()
    } finally {
      this.#channel.close()
    }
  }

  async stop(): Promise<void> {
    this.#heartbeats.stop()
    if (this.#session) await this.#service.ask('DELETE', `/client/sessions/${this.#session}`).catch(() => undefined)
  }

  /** Asks for the way to a resource; asking again answers the same one. @throws Problem that says why there is none */
  connect(resourceId: string): Promise<Way> {
    const authorization = { resource_id: resourceId, session_id: this.#session }
    return this.#service.ask<Way>('POST', '/client/authorizations', { authorization })
  }

  async #beat(): Promise<void> {
    try {
      await this.#note(await this.#service.ask<Answer>('PUT', `/client/sessions/${this.#session}`))
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 401) throw error
      // The session is over, perhaps because this installation began another one. Other faults pass.
      if (error.status === 404) await this.start()
      else this.#heartbeats.soon(10_000)
    }
  }

  async #note({ id, resources, resources_cursor, heartbeat_secs, live }: Answer): Promise<void> {
    this.#heartbeatSeconds = heartbeat_secs
    this.#channel.open(live, id, this.#service.headers)
    const all = [...resources, ...(resources_cursor === null ? [] : await this.#rest(resources_cursor))]
    const hasChanged = JSON.stringify(all) !== JSON.stringify(this.resources)
    this.resources = all
    if (hasChanged) this.#changed(all)
  }

  /** What one answer did not hold. */
  async #rest(cursor: string): Promise<Resource[]> {
    const resources: Resource[] = []
    for (let next: string | null = cursor; next !== null; ) {
      const path: string = `/client/sessions/${this.#session}/resources?page_cursor=${encodeURIComponent(next)}`
      const page: Page = await this.#service.send('GET', path)
      resources.push(...page.data)
      next = page.metadata.next_page
    }
    return resources
  }
}

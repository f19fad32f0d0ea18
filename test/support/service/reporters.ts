import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { publicKey } from '../access/public-key.ts'
import { runLocal, type Service } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any
type Reply = { status: number; body: Body }

/** Sends a request to a running service, by default with the account's token. */
export type Caller = (method: string, path: string, body?: unknown, bearer?: string) => Promise<Reply>

export type Reporter = { authorizationId: string; role: 'initiator' | 'responder'; token: string }

/** Reads the base URL at each call, because it may change when the service restarts. */
const createCaller =
  (service: Pick<Service, 'baseUrl'>, token: string): Caller =>
  async (method, path, body, bearer = token) => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }

const unlimited = Object.fromEntries(
  ['api', 'ingest'].flatMap((name) => [`${name}_capacity`, `${name}_refill_rate`].map((limit) => [limit, 1_000_000])),
)

export async function openAccount(service: Service): Promise<{ accountId: string; call: Caller }> {
  const event = {
    account: { name: 'Traffic', slug: `traffic-${randomUUID()}`, limits: unlimited },
    admin: { name: 'Ada', email: 'ada@example.com' },
    token_in: 'answer',
  }
  const { code, stdout } = await runLocal('provision', [JSON.stringify(event)], { DATA_DIR: service.dataDir })
  if (code !== 0) throw new Error(`No account was provisioned: ${stdout}`)
  const { data } = JSON.parse(stdout)
  return { accountId: data.account.id, call: createCaller(service, data.api_token.token) }
}

/** Creates an account with one authorization per client at one gateway. Returns two reporters per client. */
export async function openReporters(service: Service, clients: number) {
  const { accountId, call } = await openAccount(service)
  const create = async (path: string, body: unknown, bearer?: string): Promise<Body> => {
    const reply = await call('POST', path, body, bearer)
    if (reply.status !== 201) throw new Error(`POST ${path} answered ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }
  const site = await create('/sites', { site: { name: 'Berlin' } })
  const group = await create('/groups', { group: { name: 'Engineering' } })
  const resource = await create('/resources', {
    resource: { name: 'Wiki', type: 'dns', address: 'wiki.example.com', site_id: site.id },
  })
  await create('/policies', { policy: { group_id: group.id, resource_id: resource.id } })
  const gateway = await create(`/sites/${site.id}/gateways`, { gateway: {} })
  const session = { public_key: publicKey(), version: '1.4.0' }
  const { id } = await create('/gateway/sessions', { session }, gateway.token)

  const reporters: Reporter[] = []
  for (let i = 0; i < clients; i++) {
    const actor = await create('/actors', { actor: { name: `Robot ${i}`, type: 'service_account' } })
    await call('PATCH', `/groups/${group.id}/memberships`, { memberships: { add: [actor.id] } })
    const client_token = { expires_at: new Date(Date.now() + 86_400_000).toISOString() }
    const { token } = await create(`/actors/${actor.id}/client_tokens`, { client_token })
    await create('/client/sessions', { session: { svc_id: 'laptop', ...session, public_key: publicKey() } }, token)
    const authorization = { resource_id: resource.id }
    const granted = await create('/client/authorizations', { authorization }, token)
    reporters.push({ authorizationId: granted.id, role: 'initiator', token: granted.ingest_token })
  }
  const { body } = await call('PUT', `/gateway/sessions/${id}`, undefined, gateway.token)
  for (const { id: authorizationId, ingest_token: token } of body.data.authorizations) {
    reporters.push({ authorizationId, role: 'responder', token })
  }
  return { accountId, call, reporters }
}

type Acknowledged = { closed: boolean; bytes: number }

const nameOf = (authorizationId: string, role: string, start: string) => `${authorizationId} ${role} ${start}`

/** The acknowledged flow reports of a run, which are later compared with the log. */
export class Ledger {
  readonly flows = new Map<string, Acknowledged>()
  #next = Date.now() * 1_000

  #start(): string {
    const micros = this.#next++
    return `${new Date(Math.floor(micros / 1_000)).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`
  }

  /** Builds reports that open `count` flows and close the previous batch's flows. */
  batch(count: number, before: Flow[]): { opened: Flow[]; reports: object[] } {
    const opened = Array.from({ length: count }, () => {
      const flow_start = this.#start()
      const port = Number(flow_start.slice(-7, -1)) % 60_000
      return {
        protocol: 'tcp',
        inner_src_ip: '100.64.0.2',
        inner_src_port: port,
        inner_dst_ip: '100.96.0.2',
        inner_dst_port: 443,
        flow_start,
        domain: 'wiki.example.com',
      }
    })
    const outers = (flow: Flow) => [
      {
        src_ip: '198.51.100.7',
        src_port: 51_820,
        dst_ip: '192.0.2.1',
        dst_port: 51_820,
        path_activated_at: flow.flow_start,
      },
    ]
    const closes = before.map((flow) => ({
      ...flow,
      flow_end: new Date().toISOString(),
      last_packet: new Date().toISOString(),
      rx_packets: 12,
      tx_packets: 9,
      rx_bytes: flow.inner_src_port,
      tx_bytes: 2_100,
      outers: outers(flow),
    }))
    return { opened, reports: [...closes, ...opened] }
  }

  acknowledge({ authorizationId, role }: Reporter, opened: Flow[], closed: Flow[]): void {
    const note = (flow: Flow, isClosed: boolean) =>
      this.flows.set(nameOf(authorizationId, role, flow.flow_start), { closed: isClosed, bytes: flow.inner_src_port })
    for (const flow of opened) note(flow, false)
    for (const flow of closed) note(flow, true)
  }

  /** Counts the acknowledged flows that are missing from the log, appear in it twice, or have different values. */
  judge(entries: Body[]): { lost: number; duplicated: number; wrong: number } {
    const read = new Map<string, Body>()
    let duplicated = 0
    for (const entry of entries) {
      const name = nameOf(entry.policy_authorization_id, entry.role, entry.flow_start)
      if (read.has(name)) duplicated++
      read.set(name, entry)
    }
    let lost = 0
    let wrong = 0
    for (const [name, { closed, bytes }] of this.flows) {
      const entry = read.get(name)
      if (!entry) lost++
      // Checks bytes only if the close was acknowledged, because the log may also contain unacknowledged closes.
      else if (closed && entry.rx_bytes !== bytes) wrong++
    }
    return { lost, duplicated, wrong }
  }
}

export type Flow = { flow_start: string; inner_src_port: number }

/** Sends a batch as a gateway does: resends the same batch until it is acknowledged or the run is over. */
export async function report(call: Caller, { token }: Reporter, reports: object[], over: () => boolean) {
  while (!over()) {
    const reply = await call('POST', '/ingestion/flow_logs', { flow_logs: reports }, token).catch(() => null)
    if (reply?.status === 200) return true
    if (reply && reply.status !== 429 && reply.status < 500) throw new Error(JSON.stringify(reply.body))
    await sleep(20)
  }
  return false
}

export async function readLog(call: Caller, query: string): Promise<Body[]> {
  const entries: Body[] = []
  let cursor = ''
  do {
    const { status, body } = await call('GET', `/logs?${query}&limit=1000${cursor && `&page_cursor=${cursor}`}`)
    if (status !== 200) throw new Error(`GET /logs answered ${JSON.stringify(body)}`)
    entries.push(...body.data)
    cursor = body.metadata.next_page ?? ''
  } while (cursor)
  return entries
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { publicKey } from '#test/support/access/public-key.ts'
import { readRows } from '#test/support/logs/parquet-files.ts'
import { runLocal, type Service, startService } from '#test/support/service/service.ts'
import { documentCommands, has, screenCommands, shells, typed, walkSteps } from './type-commands.ts'

// biome-ignore lint/suspicious/noExplicitAny: the walk reads bodies of every shape
type Body = any
type Reply = { status: number; headers: Headers; body: Body; text: string }

let service: Service
let token: string

async function http(method: string, path: string, body?: unknown, bearer = token): Promise<Reply> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined }
}

/** Repeats a request until its response matches, for up to 2 s. A log entry must be visible within that time. */
async function within2s(path: string, holds: (body: Body) => boolean): Promise<Reply> {
  const until = Date.now() + 2_000
  for (;;) {
    const reply = await http('GET', path)
    if (holds(reply.body) || Date.now() > until) return reply
    await sleep(50)
  }
}

async function create(path: string, body: unknown, bearer = token): Promise<Body> {
  const reply = await http('POST', path, body, bearer)
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}

const huge = '9223372036854775807'

/** Provisions an account, even while the service is down, and returns its API token. */
async function provisioned(name: string): Promise<string> {
  const event = { account: { name, slug: name.toLowerCase() }, admin: { name: 'Ada', email: 'ada@example.com' } }
  const { code, stdout } = await runLocal('provision', [JSON.stringify(event)], { DATA_DIR: service.dataDir })
  expect(code, stdout).toBe(0)
  return JSON.parse(stdout).data.api_token.token
}

/** Defines the walk's tests for a running service. The last test kills and restarts the service. */
export function walkService(running: () => Service): void {
  beforeAll(() => {
    service = running()
    token = service.credentials.api_token
  })
  describe('docs/walk.md', typeDocument)
  describe('the walk in detail', walkInDetail)
}

/** Reads the file of the archive that the proof names, and expects the flow in the row that it names. */
async function expectArchivedFlow(dataDir: string, proof: string): Promise<void> {
  const [key = '', index, number] = proof.split('  ')
  expect(Number(number)).toBeGreaterThanOrEqual(0)
  const rows = await readRows(readFileSync(join(dataDir, 'archive', key)))
  expect(rows[Number(index)]).toMatchObject({ inner_src_port: 50_000, inner_dst_port: 443, rx_bytes: 5_300n })
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`

/** Output of the first five steps. */
const firstSteps = [
  'Demo  demo  \\S+',
  'gateway: running',
  'edge-1  true  100\\.\\S+',
  '100\\.\\S+  Wiki \\d+',
  'allowed: client \\S+ to Wiki \\d+, \\d+ ms after the authorization was created',
  `${time}  Deployer \\d+  Wiki \\d+  tcp  443`,
  `${time}  .*  insert  clients  .*`,
  `(${time}  .*  insert  .*\n?)+`,
  `(${time}  client  Deployer \\d+  \\n${time}  gateway    \\S+\n?)+`,
  `(${time}  .*\n?)+`,
]

/** Output of the last step: time, result of the verification, and position of the flow in its file. */
const archiveStep = [
  '\\d{4}-\\d\\d-\\d\\dT\\S+Z',
  '[1-9]\\d*  [1-9]\\d*  [1-9]\\d*  0',
  'v1/flow/account=\\S+\\.parquet  \\d+  \\d+',
]

/** Output of a task without a result. */
const finishedTask = '{\n  "data": null\n}\n'

function typeDocument(): void {
  // Skips the walk if curl is not installed. The other tests do not need curl.
  it.skipIf(!has('curl'))('can be typed unchanged, after the start screen and repeatedly', async () => {
    // Starts a separate service, whose clock the walk moves.
    const own = await startService()
    try {
      // Runs the last step only once, because it moves the clock.
      for (const [shell, text, results] of [
        [shells[0], screenCommands(own) + walkSteps(), firstSteps],
        [shells.at(-1), screenCommands(own) + documentCommands('walk.md'), [...firstSteps, ...archiveStep]],
      ] as const) {
        const { stdout, stderr } = await typed(shell as (typeof shells)[0], text, own.dataDir)
        expect(stderr).toMatch(/^(\[\d+\] .*\n)*$/)
        const lines = stdout
          .replaceAll(finishedTask, '')
          .split('\n')
          .filter((line) => line)
        const answers: Body[] = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
        expect(answers.filter((answer) => !answer.data)).toEqual([])
        const output = lines.filter((line) => !line.startsWith('{'))
        expect(output.filter((line) => line.length > 200)).toEqual([])
        expect(output.join('\n')).toMatch(new RegExp(`^${results.join('\\n')}$`))
        if (results.length === firstSteps.length) continue
        expect(stdout.split(finishedTask)).toHaveLength(4)
        expect(Date.parse(output.at(-3) as string) - Date.now()).toBeGreaterThan(7_000_000)
        await expectArchivedFlow(own.dataDir, output.at(-1) as string)
        await own.restart()
        expect(own.output()).toContain('2 hours ahead')
      }
    } finally {
      await own.stop()
    }
  })
}

function walkInDetail(): void {
  const world: Record<string, Body> = {}

  it('1. administers sites, groups, actors, resources and a policy', async () => {
    const account = await http('GET', '/account')
    expect(account.body.data.id).toBe(service.credentials.account_id)

    world.site = await create('/sites', { site: { name: 'Berlin' } })
    world.group = await create('/groups', { group: { name: 'Engineering' } })
    world.user = await create('/actors', { actor: { name: 'Grace', type: 'account_user', email: 'grace@example.com' } })
    world.robot = await create('/actors', { actor: { name: 'Deployer', type: 'service_account' } })
    const members = await http('PUT', `/groups/${world.group.id}/memberships`, {
      memberships: [{ actor_id: world.user.id }, { actor_id: world.robot.id }],
    })
    expect(members.body.data.actor_ids).toEqual([world.user.id, world.robot.id].sort())

    const resource = (fields: object) => create('/resources', { resource: { site_id: world.site.id, ...fields } })
    world.wiki = await resource({ name: 'Wiki', type: 'dns', address: 'wiki.example.com' })
    world.lan = await resource({ name: 'LAN', type: 'cidr', address: '192.168.1.7/24' })
    world.printer = await resource({ name: 'Printer', type: 'ip', address: '192.168.2.9' })
    expect([world.lan.address, world.wiki.ip_stack]).toEqual(['192.168.1.0/24', 'dual'])
    world.policy = await create('/policies', {
      policy: {
        group_id: world.group.id,
        resource_id: world.wiki.id,
        conditions: [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['127.0.0.0/8', '::1'] }],
      },
    })
  })

  it('2. brings a gateway online', async () => {
    const gateways = `/sites/${world.site.id}/gateways`
    world.gateway = await create(gateways, { gateway: { name: 'edge-1' } })
    expect(world.gateway.online).toBe(false)
    world.gatewaySession = await create(
      '/gateway/sessions',
      { session: { public_key: publicKey(), version: '1.4.0' } },
      world.gateway.token,
    )
    const online = await http('GET', gateways)
    expect(online.body.data).toMatchObject([{ id: world.gateway.id, online: true }])
    const beat = await http('PUT', `/gateway/sessions/${world.gatewaySession.id}`, undefined, world.gateway.token)
    expect(beat.body.data).toMatchObject({ complete: true, authorizations: [] })
  })

  it('3. authorizes a client for the resource', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    world.clientToken = await create(`/actors/${world.robot.id}/client_tokens`, { client_token: { expires_at } })
    const session = { svc_id: 'laptop-1', public_key: publicKey(), version: '1.4.1', hostname: 'laptop' }
    world.session = await create('/client/sessions', { session }, world.clientToken.token)
    expect(world.session.resources.map((resource: Body) => resource.id)).toEqual([world.wiki.id])

    const ask = (resource_id: string) =>
      http('POST', '/client/authorizations', { authorization: { resource_id } }, world.clientToken.token)
    const granted = await ask(world.wiki.id)
    expect(granted.status, granted.text).toBe(201)
    world.authorization = granted.body.data
    expect(world.authorization.gateway).toMatchObject({ id: world.gateway.id, ipv4: world.gateway.ipv4 })
    expect((await ask(world.wiki.id)).status).toBe(200)
    expect((await ask(world.lan.id)).status).toBe(404)

    const beat = await http('PUT', `/gateway/sessions/${world.gatewaySession.id}`, undefined, world.gateway.token)
    expect(beat.body.data.authorizations).toMatchObject([{ id: world.authorization.id, policy_id: world.policy.id }])
    world.responderToken = beat.body.data.authorizations[0].ingest_token
  })

  it('4. accepts flow reports of both sides and lists them', async () => {
    const open = {
      protocol: 'tcp',
      inner_src_ip: world.session.client.ipv4,
      inner_src_port: 50_000,
      inner_dst_ip: world.gateway.ipv4,
      inner_dst_port: 443,
      flow_start: new Date().toISOString(),
      domain: 'wiki.example.com',
    }
    const report = (bearer: string, text: string) => http('POST', '/ingestion/flow_logs', text, bearer)
    const sides = [world.authorization.ingest_token, world.responderToken]
    for (const side of sides)
      expect((await report(side, JSON.stringify({ flow_logs: [open] }))).body.data.accepted).toBe(1)
    const opened = await within2s('/logs?type=flow', (body) => body.data.length === 2)
    expect(opened.body.data.map((entry: Body) => [entry.role, entry.flow_end]).sort()).toEqual([
      ['initiator', null],
      ['responder', null],
    ])

    const closing = {
      ...open,
      flow_end: new Date().toISOString(),
      last_packet: new Date().toISOString(),
      outers: [{ dst_ip: '192.0.2.1', dst_port: 51820, path_activated_at: open.flow_start }],
    }
    const counters = `"rx_packets":1,"tx_packets":2,"rx_bytes":${huge},"tx_bytes":9007199254740993`
    const close = `{"flow_logs":[${JSON.stringify(closing).slice(0, -1)},${counters}}]}`
    for (const side of sides) expect((await report(side, close)).status).toBe(200)
    const closed = await within2s('/logs?type=flow', (body) =>
      body.data.every((entry: Body) => entry.flow_end !== null),
    )
    expect(closed.body.data).toHaveLength(2)
    expect(closed.body.metadata.total).toBe(2)
    expect(closed.text.match(/"rx_bytes":9223372036854775807,/g)).toHaveLength(2)
    expect(closed.text.match(/"tx_bytes":9007199254740993\b/g)).toHaveLength(2)
    expect(closed.body.data[0]).toMatchObject({
      initiator_actor_name: 'Deployer',
      resource_name: 'Wiki',
      resource_address: 'wiki.example.com',
      policy_id: world.policy.id,
      policy_authorization_id: world.authorization.id,
    })
    world.flows = closed.body.data
  })

  it('5. has all events in the logs', async () => {
    const changes = await within2s('/logs?type=change&limit=100', (body) =>
      JSON.stringify(body).includes(world.clientToken.id),
    )
    const entries: Body[] = changes.body.data
    const ids = entries.map((entry) => entry.log_id)
    expect(ids).toEqual(ids.toSorted().reverse())
    const inserted = entries.find((entry) => entry.object === 'client_tokens')
    expect(inserted).toMatchObject({ operation: 'insert', before: null, subject: { token_id: expect.any(String) } })
    expect(inserted.after).toMatchObject({ secret_hash: '[redacted]' })
    expect(entries.filter((entry) => entry.object === 'policies')).toHaveLength(1)

    const sessions = await http('GET', '/logs?type=session')
    expect(sessions.body.data.map((entry: Body) => entry.context)).toEqual(['client', 'gateway'])
    const requests = await http('GET', '/logs?type=api_request&limit=1')
    expect(requests.body.data[0]).toMatchObject({ method: 'GET', path: '/logs' })
    for (const entry of [inserted, sessions.body.data[0], requests.body.data[0], world.flows[0]]) {
      expect((await http('GET', `/logs/${entry.log_id}`)).body.data).toEqual(entry)
    }
    const everything = await http('GET', '/logs?limit=100')
    for (const secret of [token, world.clientToken.token, world.gateway.token])
      expect(everything.text).not.toContain(secret)
  })

  it('6. loses nothing when it is killed, and has an account that was provisioned meanwhile', async () => {
    const acknowledged: string[] = []
    let running = true
    const writer = (async () => {
      for (let i = 0; running; i++) {
        const reply = await http('POST', '/groups', { group: { name: `group ${i}` } }).catch(() => null)
        if (reply?.status === 201) acknowledged.push(reply.body.data.id)
      }
    })()
    const flow = {
      protocol: 'udp',
      inner_src_ip: world.session.client.ipv4,
      inner_src_port: 40_000,
      inner_dst_ip: world.gateway.ipv4,
      inner_dst_port: 53,
      flow_start: new Date().toISOString(),
    }
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(2), 60_000)
    const reported = await http('POST', '/ingestion/flow_logs', { flow_logs: [flow] }, world.authorization.ingest_token)
    expect(reported.status).toBe(200)
    await service.kill9()
    running = false
    await writer
    const late = await provisioned('Late')
    expect(existsSync(join(service.dataDir, 'dynamodb.pid'))).toBe(false)
    await service.restart()

    expect((await http('GET', '/account', undefined, late)).body.data.slug).toBe('late')
    for (const id of acknowledged) expect((await http('GET', `/groups/${id}`)).status).toBe(200)
    const flows = await within2s('/logs?type=flow', (body) => body.data.length === 3)
    expect(flows.body.data).toHaveLength(3)
    const last = acknowledged.at(-1) as string
    const changes = await within2s('/logs?type=change&limit=100', (body) => JSON.stringify(body).includes(last))
    const logged = changes.body.data
      .filter((entry: Body) => entry.object === 'groups')
      .map((entry: Body) => entry.after.id)
    for (const id of acknowledged.slice(-90)) expect(logged.filter((other: string) => other === id)).toHaveLength(1)
    await create('/groups', { group: { name: 'After' } })
  }, 180_000)
}

import { vi } from 'vitest'
import { handler as rotateToken } from '#functions/api/gateways/rotate-gateway-token.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import { commit } from '#shared/commit/commit.ts'
import { clock, dayMicros, timestamp } from '#shared/core/clock.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'
import { type DirectoryRow, directories } from '#shared/domain/directories/directory.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccessWorld } from '../access/access.ts'
import { newSite } from '../access/gateways.ts'
import { publicKey } from '../access/public-key.ts'
import { call, newAccount, withRoute } from '../accounts/account.ts'
import { postureProvidersApi } from '../accounts/collections.ts'
import { hostFields } from '../accounts/row-fields.ts'
import { updateRow } from '../accounts/rows.ts'
import { readCommits, toStreamRecord, writeChangeLogOf } from '../logs/commit-stream.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '../logs/flows.ts'
import { loadEntries } from '../operations/operations.ts'
import { type Request, sampleRequests } from '../operations/sample-requests.ts'
import { mailedPasscode } from '../sign-in/mails.ts'
import { directoriesApi, storedDirectory } from '../sync/directories.ts'
import { mdmFields } from '../sync/posture-providers.ts'
import { ScriptedDirectory } from '../sync/scripted-directory.ts'
import { ScriptedInventory } from '../sync/scripted-inventory.ts'
import { recordPages } from './record-pages.ts'
import { recordPortal } from './record-portal.ts'
import { recordSuccessor } from './record-successor.ts'
import { recordVersions } from './record-versions.ts'
import { type RecordedCall, recordCalls } from './recorded-calls.ts'
import { stubService } from './stub-service.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of every kind
type Handler = (event: any, context?: any) => Promise<any>
type Answer = Parameters<typeof recordCalls>[1]

/** Calls to AWS, keyed by the function's source file. */
export type Recorded = Map<string, RecordedCall[]>

const context = { getRemainingTimeInMillis: () => 900_000 }

function recorder() {
  const recorded: Recorded = new Map()
  /** Runs a function in newly loaded modules, and records its calls to AWS. */
  const record = async <T>(file: string, run: (handler: Handler) => Promise<T>, answer?: Answer): Promise<T> => {
    let result: T | undefined
    const calls = await recordCalls(async () => {
      const { handler } = await import(new URL(`../../../functions/${file}`, import.meta.url).href)
      result = await run(handler)
    }, answer)
    recorded.set(file, [...(recorded.get(file) ?? []), ...calls])
    return result as T
  }
  return { recorded, record }
}

const emptyAnswer: Answer = () => new Response('{}')

const setRegion = () => {
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1')
}

export type Record = ReturnType<typeof recorder>['record']

const succeed = ({ status, text }: { status: number; text: string }, what: string) => {
  if (status < 200 || status > 303) throw new Error(`${what} answered ${status} ${text}`)
}
const pathOf = (name: string, { params = {} }: Request) =>
  (name.split(' ')[1] ?? '').replace(/\{(\w+)\}/g, (_, param) => params[param] ?? '')

/** Calls every operation with its sample, and legacy operations a second time through the proxy route. */
async function recordOperations(record: Record): Promise<string> {
  const { account, samples } = await sampleRequests()
  const files = new Map((await loadEntries()).map(({ name, file }) => [name, file]))
  for (const [name, sample] of Object.entries(samples)) {
    const method = name.split(' ')[0] ?? ''
    const send = async (file: string, headers: Request['headers'] = {}, proxied = false) => {
      const request = await sample()
      const path = pathOf(name, request)
      const params = proxied ? { proxy: path.replace(/^\/v0\//, '') } : request.params
      const callRequest = {
        method,
        path,
        token: account.token,
        ...request,
        params,
        headers: { ...request.headers, ...headers },
      }
      const answer = await record(
        file,
        async (handler) => {
          const { discovery: loaded } = await import('#shared/domain/auth-providers/discovery-document.ts')
          // Replaces the reader of provider documents with the samples' stub.
          loaded.read = discovery.read
          // Records Lambda requests as on AWS, instead of sending them to the local endpoint.
          vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', '')
          // Records the redemption as in a deployment, which never reads the codes of a local server (K2.7).
          if (name === 'POST /sign_in/session') vi.stubEnv('SERVICE_URL', 'https://access.example.com')
          setRegion()
          return call(withRoute(handler, name), callRequest)
        },
        emptyAnswer,
      )
      succeed(answer, name)
    }
    // Sends an idempotency key, which is stored only for writes through the account API.
    await send(files.get(name) ?? '', { 'idempotency-key': crypto.randomUUID() })
    if (name.includes(' /v0/')) await send('v0/other-route.ts', {}, true)
  }
  return account.id
}

/** Records device requests that the samples omit: repeated session starts, changed keys and addresses, and existing sessions. */
async function recordDevices(record: Record): Promise<string> {
  const world = await newAccessWorld([{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }])
  const filesOf = (verb: string) => ({
    client: `api/client-sessions/${verb}-client-session.ts`,
    gateway: `api/gateway-sessions/${verb}-gateway-session.ts`,
  })
  const [starting, renewing, ending] = [filesOf('start'), filesOf('renew'), filesOf('end')]
  const send = async (file: string, request: Parameters<typeof call>[1]) => {
    const answer = await record(file, (handler) => call(handler, { method: 'POST', ...request }))
    succeed(answer, file)
    return answer.body?.data
  }
  const site = await newSite(world.account)
  const shared = (await site.token()).token
  const session = (fields: object = {}) => ({ session: { public_key: publicKey(), version: '1.4.0', ...fields } })
  const key = publicKey()
  for (const public_key of [key, key]) {
    const { id } = await send(starting.gateway, { token: shared, body: session({ public_key }) })
    await send(renewing.gateway, { token: shared, params: { id } })
    await send(ending.gateway, { token: shared, params: { id } })
  }
  const { token, id, session: online } = await world.addGateway()
  await send(ending.gateway, { token, params: { id: online.id } })
  const rotation = { method: 'POST', params: { site_id: world.site.id, gateway_id: id } }
  const rotated = await world.account.call(rotateToken, rotation)
  succeed(rotated, 'the rotation of a token')
  // Uses the old token, and then the new token, whose first use revokes the old token.
  const back = session()
  for (const one of [token, rotated.body.data.token]) await send(starting.gateway, { token: one, body: back })

  await world.addGateway()
  const client = { svc_id: 'laptop' }
  const device = { token: world.token.token }
  await send(starting.client, { ...device, body: session(client) })
  const described = { ...client, hostname: 'new', device_serial: 'C02' }
  const { id: session_id } = await send(starting.client, { ...device, body: session(described) })
  const authorization = { resource_id: world.resource.id, session_id }
  const file = 'api/authorizations/create-authorization.ts'
  for (let i = 0; i < 2; i++) await send(file, { ...device, body: { authorization } })
  // Renews the session from an address that does not meet the conditions, which revokes the authorization.
  await send(renewing.client, { ...device, params: { id: session_id }, sourceIp: '198.51.100.7' })
  await send(file, { ...device, body: { authorization } })
  await send(starting.client, { ...device, body: session(client) })
  return world.account.id
}

const liveSettings = {
  LIVE_URL: 'wss://some.execute-api.us-east-1.amazonaws.com/live',
  LIVE_ENDPOINT: 'https://some.execute-api.us-east-1.amazonaws.com/live',
}

/**
 * Records the live channel: connections that open, are replaced, send messages and close. Also records the functions that notify devices
 * and close connections.
 */
async function recordLive(record: Record): Promise<void> {
  const world = await newAccessWorld([{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }])
  const recordLiveFunction = <T>(file: string, run: (handler: Handler) => Promise<T>) =>
    record(
      file,
      (handler) => {
        for (const [name, value] of Object.entries(liveSettings)) vi.stubEnv(name, value)
        for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1')
        return run(handler)
      },
      () => new Response('{}'),
    )
  const eventOf = (connectionId: string, sourceIp = '192.0.2.7') => ({
    requestContext: { connectionId, requestId: 'request', identity: { sourceIp } },
    isBase64Encoded: false,
  })
  const open = (connectionId: string, token: string, session_id: string, sourceIp?: string) =>
    recordLiveFunction('live/connect.ts', async (handler) => {
      const headers = { Authorization: `Bearer ${token}` }
      const { statusCode } = await handler({
        ...eventOf(connectionId, sourceIp),
        headers,
        queryStringParameters: { session_id },
      })
      if (statusCode !== 200) throw new Error(`The handshake answered ${statusCode}.`)
    })
  const sendMessage = (connectionId: string, body: string) =>
    recordLiveFunction('live/default.ts', (handler) => handler({ ...eventOf(connectionId), body }))

  const gateway = await world.addGateway()
  await open('gateway-1', gateway.token, gateway.session.id)
  await open('gateway-2', gateway.token, gateway.session.id)
  const { id: session_id } = (await world.startSession()).body.data
  await open('client-1', world.token.token, session_id)
  await recordLiveFunction('api/authorizations/create-authorization.ts', (handler) =>
    call(handler, {
      method: 'POST',
      token: world.token.token,
      body: { authorization: { resource_id: world.resource.id, session_id } },
    }),
  )
  // Connects from an address that does not meet the policy's conditions.
  await open('client-2', world.token.token, session_id, '198.51.100.7')
  await sendMessage('client-2', '{"type":"keepalive"}')
  await sendMessage('client-1', '{"type":"keepalive"}')
  for (let i = 0; i < 10; i++) await sendMessage('client-2', 'nonsense')
  await open('client-3', world.token.token, session_id)
  await recordLiveFunction('api/client-sessions/start-client-session.ts', (handler) =>
    call(handler, {
      method: 'POST',
      token: world.token.token,
      body: { session: { svc_id: 'laptop', public_key: publicKey(), version: '1.4.0' } },
    }),
  )
  await recordLiveFunction('api/gateway-sessions/start-gateway-session.ts', (handler) =>
    call(handler, {
      method: 'POST',
      token: gateway.token,
      body: { session: { public_key: gateway.public_key, version: '1.4.0' } },
    }),
  )
  await open('client-4', world.token.token, (await world.startSession()).body.data.id)
  const Records = (await readCommits(world.account.id)).map(toStreamRecord)
  await recordLiveFunction('streams/follow-up.ts', (handler) => handler({ Records }, context))
  await recordLiveFunction('live/disconnect.ts', (handler) => handler(eventOf('client-4')))
}

/** Creates an account, and deletes a site with more resources than one commit can delete. */
async function newAccountWithFollowUpWork(): Promise<string> {
  const { account, site } = await newAccessWorld()
  for (let part = 0; part < 4; part++) {
    await commit({ accountId: account.id, subject: null }, async (transaction) => {
      for (let i = 0; i < 8; i++) transaction.insert(resources, hostFields(part * 8 + i, site.id))
    })
  }
  succeed(await account.call(deleteSite, { method: 'DELETE', params: { id: site.id } }), 'the deletion of a site')
  return account.id
}

async function recordConsumersOfCommits(record: Record, accounts: string[]): Promise<void> {
  for (const account of accounts) {
    const Records = (await readCommits(account)).map(toStreamRecord)
    for (const name of ['write-change-log', 'follow-up']) {
      for (let at = 0; at < Records.length; at += 100) {
        const event = { Records: Records.slice(at, at + 100) }
        const { batchItemFailures } = await record(`streams/${name}.ts`, (handler) => handler(event, context))
        if (batchItemFailures.length > 0) throw new Error(`${name} failed.`)
      }
    }
  }
}

/** Advances the clock in the modules that were loaded for a recording. */
async function advanceHours(hours: number): Promise<void> {
  const { clock: loaded } = await import('#shared/core/clock.ts')
  const now = loaded.now.bind(loaded)
  vi.spyOn(loaded, 'now').mockImplementation(() => now() + hours * 3_600_000_000)
}

/** Records the storage of flows that are short, late, reported out of order, or long. */
async function recordFlows(record: Record, account: string): Promise<void> {
  const { claims } = await newFlowGrant(account)
  const minute = 60_000_000
  const start = clock.now() - 60 * minute
  const at = (minutes: number) => timestamp(start + minutes * minute)
  const flow = (inner_src_port: number, begin: number) => ({
    open: openRecord({ inner_src_port, flow_start: at(begin) }),
    close: (end: number) =>
      closeRecord({ inner_src_port, flow_start: at(begin), flow_end: at(end), last_packet: at(end) }),
  })
  const store = (minutes: number, ...records: unknown[]) =>
    record('streams/store-flow-logs.ts', async (handler) => {
      const { clock: loaded } = await import('#shared/core/clock.ts')
      vi.spyOn(loaded, 'now').mockReturnValue(start + minutes * minute)
      const reports = records.map((one) => (checkFlowReport(one) as { report: FlowReport }).report)
      const event = { Records: [flowRecord(claims(), start + minutes * minute, ...reports)] }
      if ((await handler(event, context)).batchItemFailures.length > 0) throw new Error('A flow was not stored.')
    })
  const [short, late, closing, long] = [flow(1, 0), flow(2, 0), flow(3, 0), flow(4, 0)]
  await store(1, short.open, short.close(1), late.open, long.open)
  await store(1, closing.close(1))
  await store(1, closing.open, late.close(1))
  // Stores reports more than five minutes later, when their slices have settled, so that open flows are indexed.
  await store(30, flow(5, 29).open)
  await store(40, flow(6, 0).open, long.close(39))
}

/** Records a renewal of locks. One object already has a longer lock. */
async function recordRenewal(record: Record, account: string): Promise<void> {
  const answers =
    (until: string) =>
    (url: URL, { method }: RequestInit) => {
      const rule = '<Mode>COMPLIANCE</Mode><Days>1</Days>'
      if (url.searchParams.has('object-lock')) {
        const retention = `<Rule><DefaultRetention>${rule}</DefaultRetention></Rule>`
        return new Response(`<ObjectLockConfiguration>${retention}</ObjectLockConfiguration>`)
      }
      if (method === 'PUT') return new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 })
      if (url.searchParams.has('retention')) {
        return new Response(`<Retention>${rule}<RetainUntilDate>${until}</RetainUntilDate></Retention>`)
      }
      const key = url.searchParams.get('prefix') === `${account}/` ? `<Key>${account}/changes/checkpoint</Key>` : ''
      const version = `<VersionId>1</VersionId><IsLatest>true</IsLatest><LastModified>2026-01-01T00:00:00Z</LastModified>`
      return new Response(key && `<ListVersionsResult><Version>${key}${version}</Version></ListVersionsResult>`)
    }
  const run = async (handler: Handler) => {
    vi.stubEnv('SEAL_FOLDER', '')
    vi.stubEnv('SEAL_LOCK_DAYS', '1')
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
    await handler({})
  }
  await record('schedules/renew-locks.ts', run, answers('2999-01-01T00:00:00Z'))
}

/** Records the sealing of all logs, the flush of the archive, a renewal of locks, the start of successor logs, and the request for the public key. */
async function recordSealing(record: Record, account: string): Promise<void> {
  await writeChangeLogOf(account)
  const bucket = new Map<string, Uint8Array<ArrayBuffer>>()
  /** Older versions of replaced objects. */
  const replaced = new Set<string>()
  const answer = async (url: URL, { method, body }: RequestInit) => {
    const version = `<Key>${url.pathname.slice(1)}</Key><VersionId>1</VersionId><IsLatest>false</IsLatest>`
    if (method === 'PUT' && bucket.has(url.pathname)) replaced.add(`<Version>${version}</Version>`)
    if (method === 'PUT') bucket.set(url.pathname, new Uint8Array(await new Response(body).arrayBuffer()))
    if (method === 'POST') replaced.clear()
    if (method === 'POST') return new Response('<DeleteResult></DeleteResult>')
    const prefix = url.searchParams.get('prefix')
    if (url.searchParams.has('versions'))
      return new Response(`<ListVersionsResult>${[...replaced].join('')}</ListVersionsResult>`)
    if (prefix !== null) {
      const paths = [...bucket.keys()].map((path) => path.slice(1)).filter((path) => path.startsWith(prefix))
      const contents = paths.map((path) => `<Contents><Key>${path}</Key><Size>1</Size></Contents>`)
      return new Response(`<ListBucketResult>${contents.join('')}</ListBucketResult>`)
    }
    const stored = bucket.get(url.pathname)
    return stored === undefined ? new Response('', { status: 404 }) : new Response(stored)
  }
  const inBucket = (handler: Handler) => async (event: unknown) => {
    vi.stubEnv('SEAL_FOLDER', '')
    vi.stubEnv('ARCHIVE_FOLDER', '')
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
    await advanceHours(4)
    return handler(event)
  }
  const expectSealed = (...logs: string[]) => {
    for (const log of logs) {
      if (!bucket.has(`/${account}/${log}/checkpoint`)) throw new Error(`The log ${log} was not sealed.`)
    }
  }
  await record('schedules/seal-logs.ts', (handler) => inBucket(handler)({}), answer)
  expectSealed('changes', 'activity')
  await record('schedules/flush-archive.ts', (handler) => inBucket(handler)({}), answer)
  if (![...bucket.keys()].some((path) => path.startsWith('/v1/manifest/'))) throw new Error('No hour was flushed.')
  await record('schedules/seal-logs.ts', (handler) => inBucket(handler)({}), answer)
  expectSealed('archive')
  await record('tasks/verify-archive.ts', (handler) => inBucket(handler)({ account_id: account }), answer)
  await record('tasks/archive-status.ts', (handler) => handler({}))
  const actors = await queryItems(partition(account, 'actors'))
  const eraseAll = async (handler: Handler) => {
    for (const { sk } of actors) await inBucket(handler)({ account_id: account, actor_id: sk })
  }
  await record('tasks/erase-actor.ts', eraseAll, answer)
  await recordRenewal(record, account)
  for (const path of bucket.keys()) if (!path.startsWith('/v1/')) bucket.delete(path)
  await record('tasks/begin-sealed-log.ts', (handler) => inBucket(handler)({ account_id: account }), answer)
  expectSealed('changes.2', 'activity.2', 'archive.2')
  await record('public/seal-pub.ts', async (handler) => {
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
    succeed(await call(handler, { method: 'GET', path: '/seal.pub' }), 'GET /seal.pub')
  })
}

/** Returns the responses of a bucket with one object in each folder, which the function deletes. */
function deletedObjects() {
  const deleted = new Set<string>()
  return (url: URL, { method }: RequestInit) => {
    if (method === 'POST') return new Response('<DeleteResult></DeleteResult>')
    const prefix = url.searchParams.get('prefix') ?? ''
    const versions = deleted.has(prefix) ? '' : `<Version><Key>${prefix}1</Key><VersionId>1</VersionId></Version>`
    deleted.add(prefix)
    return new Response(`<ListVersionsResult>${versions}</ListVersionsResult>`)
  }
}

async function recordSchedules(record: Record): Promise<void> {
  const { account, samples } = await sampleRequests()
  for (const name of ['POST /client/authorizations', 'PUT /groups/{group_id}/memberships', 'DELETE /sites/{id}']) {
    await samples[name]?.()
  }
  await record('schedules/expire.ts', async (handler) => {
    await advanceHours(2)
    await handler({})
  })
  const { account: synced } = await sampleRequests()
  for (const kind of ['suite', 'idp'] as const) await directoriesApi[kind].createAndGet(synced)
  await postureProvidersApi.create(synced, mdmFields())
  const fleet = new ScriptedInventory()
  fleet.devices = ['one', 'two', 'three'].map((mdm_id) => ({ mdm_id }))
  const company = new ScriptedDirectory()
  company.users = [{ id: 'one', email: 'one@example.com' }]
  company.groups = [{ id: 'all', members: ['one'] }]
  await record('schedules/sync.ts', async (handler) => {
    const { adapters } = await import('#shared/sync/providers/open.ts')
    adapters.directory = async () => company.adapter
    adapters.inventory = async () => fleet.adapter
    await handler({})
    fleet.devices = ['one', 'two'].map((mdm_id) => ({ mdm_id, device_name: mdm_id }))
    company.users = [{ id: 'two', email: 'two@example.com' }]
    company.groups = []
    await advanceHours(3)
    await handler({})
  })
  await record('schedules/rotate-signing-secret.ts', (handler) => handler({}))
  await record(
    'schedules/pulse.ts',
    (handler) => handler({}),
    () => new Response('{}'),
  )
  const [{ id }] = (await directoriesApi.suite.list(synced)).body.data
  const row = await storedDirectory(synced, 'suite', id)
  const failing = { is_disabled: true, disabled_reason: 'sync error', error: 'GET users answered 403.' }
  await updateRow<DirectoryRow>(synced.id, directories.suite, row, failing)
  await record(
    'schedules/mail-sync-errors.ts',
    async (handler) => {
      vi.stubEnv('MAIL_SENDER', 'access@example.net')
      const nine = (Math.floor(clock.now() / dayMicros) + 3) * 24 + 9.5
      await advanceHours(nine - clock.now() / 3_600_000_000)
      await handler({})
    },
    () => new Response('{}'),
  )
  const { error_mails } = await storedDirectory(synced, 'suite', id)
  if (error_mails !== 1) throw new Error('Nobody was mailed.')
  const operate = (event: object) => record('tasks/provision-account.ts', (handler) => handler(event, context))
  const limits = { users_count: 0, service_accounts_count: 0 }
  await operate({ operation: 'update_account', account_id: account.id, account: { limits } })
  await record(
    'schedules/compare-limits.ts',
    async (handler) => {
      vi.stubEnv('MAIL_SENDER', 'access@example.net')
      await handler({})
    },
    () => new Response('{}'),
  )
  await operate({ operation: 'create_static_device_pool', account_id: account.id, resource: { name: 'Pool' } })
  const api_token = { expires_at: '2099-01-01T00:00:00Z' }
  await operate({ operation: 'create_api_token', account_id: account.id, api_token })
  await recordSealing(record, account.id)
  await operate({ operation: 'delete_account', account_id: account.id })
  for (const hours of [24 * 8, 24 * 10]) {
    const run = async (handler: Handler) => {
      await advanceHours(hours)
      await handler({})
    }
    await record('schedules/delete-due-accounts.ts', run, deletedObjects())
  }
}

async function recordTasks(record: Record, account: string, consumer: string): Promise<void> {
  const fields = { name: 'Made', slug: `made-${crypto.randomUUID()}` }
  const event = { account: fields, admin: { name: 'Ada', email: 'ada@example.com' } }
  await record('tasks/provision-account.ts', (handler) => handler(event, context))
  const unknownId = '01990000-0000-7000-8000-00000000dead'
  await record('tasks/verify-change-log.ts', async (handler) => {
    await handler({ account_id: account, end: timestamp(clock.now()) }, context)
    await handler({ account_id: unknownId }, context)
  })
  const { email } = await mailedPasscode(account)
  await record(
    'tasks/mail-passcode.ts',
    async (handler) => {
      vi.stubEnv('MAIL_SENDER', 'access@example.net')
      setRegion()
      await handler({ account_id: account, email, context: 'client', purpose: 'sign_in', provider_id: null })
    },
    emptyAnswer,
  )
  await record('tasks/verify-rows.ts', (handler) => handler({}))
  await record('tasks/index-names.ts', (handler) => handler({}))
  const batch = { requestContext: { functionArn: consumer }, payload: '{"Records":[]}' }
  const bucket = (url: URL) => {
    if (url.hostname.startsWith('lambda.')) return Response.json({ batchItemFailures: [] })
    const listed = '<ListBucketResult><Contents><Key>aws/lambda/a</Key></Contents></ListBucketResult>'
    return new Response(url.searchParams.has('list-type') ? listed : JSON.stringify(batch))
  }
  await record(
    'tasks/redrive-failed-batches.ts',
    async (handler) => {
      for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
      vi.stubEnv('FAILURES_BUCKET', 'failures')
      const { redriven } = await handler({}, context)
      if (redriven !== 1) throw new Error('No batch was redriven.')
    },
    bucket,
  )
}

async function recordReplay(record: Record, account: string, consumer: string): Promise<void> {
  const event = { account_id: account, begin: '2020-01-01T00:00:00Z', consumers: [consumer] }
  await record(
    'tasks/replay-commits.ts',
    async (handler) => {
      for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
      const { data } = await handler(event, context)
      if (!data || data.commits === 0 || data.kept.length > 0) throw new Error('No commit was replayed.')
    },
    () => Response.json({ batchItemFailures: [] }),
  )
}

/** Records the task that CloudFormation invokes during a deployment, and the response to CloudFormation. */
async function recordDeployment(record: Record): Promise<void> {
  const receiver = await stubService((response) => void response.end())
  const AccountLimit = { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 }
  await record(
    'tasks/check-concurrency.ts',
    async (handler) => {
      for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
      await handler({ RequestType: 'Create', ResponseURL: receiver.endpoint, ResourceProperties: { Reserved: '1' } })
    },
    () => Response.json({ AccountLimit }),
  )
  await receiver.end()
  if (receiver.requests.length !== 1) throw new Error('CloudFormation was not answered.')
}

/**
 * Records the AWS calls of every function: operations, devices, consumers, schedules, and tasks with work to do. Requires exclusive use of
 * the table.
 * @param consumer ARN of the function to which a failed batch is redriven
 */
export async function recordFunctions(consumer: string): Promise<Recorded> {
  const { recorded, record } = recorder()
  // Records no calls for functions that serve files or reject unknown routes.
  for (const file of ['api/unknown-route.ts', 'public/openapi.ts', 'public/docs.ts', 'public/console.ts'])
    recorded.set(file, [])
  const accounts = [await recordOperations(record), await recordDevices(record), await newAccountWithFollowUpWork()]
  await recordPages(record)
  await recordPortal(record)
  await recordSuccessor(record)
  await recordLive(record)
  await recordFlows(record, (await newAccount()).id)
  await recordConsumersOfCommits(record, accounts)
  await recordTasks(record, accounts[0] as string, consumer)
  await recordReplay(record, accounts[0] as string, consumer)
  await recordSchedules(record)
  await recordDeployment(record)
  await recordVersions(record)
  return recorded
}

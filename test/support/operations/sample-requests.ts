import { randomUUID } from 'node:crypto'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import type { CommitRecord } from '#shared/commit/commit-record.ts'
import { indexCommit } from '#shared/domain/names/name-index.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { publicKey } from '../access/public-key.ts'
import { type Answer, call, newAccount } from '../accounts/account.ts'
import { signInWith } from '../accounts/portal-sessions.ts'
import { readCommits, writeChangeLogOf } from '../logs/commit-stream.ts'
import { newFlowGrant, openRecord } from '../logs/flows.ts'
import { sealNow } from '../seal/sealing.ts'
import { mailedPasscode } from '../sign-in/mails.ts'
import { addConfigurationSamples } from './configuration-samples.ts'
import { loadEntries } from './operations.ts'
import { addSignInSamples } from './sign-in-samples.ts'
import { addV0Samples } from './v0-samples.ts'

export type Request = {
  params?: Record<string, string>
  body?: unknown
  /** Body to send unchanged, instead of `body`. */
  rawBody?: string
  token?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  sourceIp?: string
  /** Account to send the request for, if it differs from the samples' account. */
  accountId?: string
}
export type Sample = () => Promise<Request> | Request

const fresh = (prefix = 'sample') => `${prefix} ${randomUUID()}`
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/**
 * Creates an account, and a function for every operation that returns a valid request. Each call of a function creates the objects that the
 * request needs.
 */
export async function sampleRequests() {
  const account = await newAccount({
    limits: {
      api_capacity: 1_000_000,
      api_refill_rate: 1_000_000,
      ingest_capacity: 1_000_000,
      ingest_refill_rate: 1_000_000,
      api_clients_count: null,
    },
  })
  const portal = await signInWith(account, 'portal')
  const entries = new Map((await loadEntries()).map((entry) => [entry.name, entry]))
  let callers = 0
  /** Returns a new source address, because requests without a credential are rate-limited by address. */
  const newCaller = () => ({ sourceIp: `198.18.${(callers >> 8) & 255}.${callers++ & 255}` })

  const send = async (name: string, request: Request = {}): Promise<Answer> => {
    const entry = entries.get(name)
    if (!entry) throw new Error(`There is no operation ${name}.`)
    const { handler, operation } = entry
    const [method, template = ''] = name.split(' ')
    const path = template.replace(/\{(\w+)\}/g, (_, param) => request.params?.[param] ?? '')
    const from = operation.credential === 'none' ? newCaller() : {}
    return call(handler, { method, path, token: account.token, ...from, ...request })
  }
  const create = async (name: string, request: Request = {}) => {
    const { status, body } = await send(name, request)
    if (status > 202) throw new Error(`${name}: ${JSON.stringify(body)}`)
    return body.data
  }

  const site = () => create('POST /sites', { body: { site: { name: fresh().slice(0, 60) } } })
  const group = () => create('POST /groups', { body: { group: { name: fresh() } } })
  const robot = () => create('POST /actors', { body: { actor: { name: fresh(), type: 'service_account' } } })
  const resourceOf = (site_id: string) => ({
    resource: { name: fresh(), type: 'dns', address: 'wiki.example.com', site_id },
  })
  const berlin = await site()
  const resource = () => create('POST /resources', { body: resourceOf(berlin.id) })
  const policyOf = async () => ({ policy: { group_id: (await group()).id, resource_id: (await resource()).id } })
  const policy = async () => create('POST /policies', { body: await policyOf() })
  const gateway = () => create('POST /sites/{site_id}/gateways', { params: { site_id: berlin.id } })
  const gatewaySession = (token: string) =>
    create('POST /gateway/sessions', { token, body: { session: { public_key: publicKey(), version: '1.4.0' } } })
  const clientTokenOf = (actor_id: string) =>
    create('POST /actors/{actor_id}/client_tokens', {
      params: { actor_id },
      body: { client_token: { expires_at: inAnHour() } },
    })
  const pipeline = () => create('POST /actors', { body: { actor: { name: fresh(), type: 'api_client' } } })
  const apiTokenOf = (actor_id: string) =>
    create('POST /actors/{actor_id}/api_tokens', {
      params: { actor_id },
      body: { api_token: { expires_at: inAnHour() } },
    })
  const portalSession = async () => {
    const { actor, state } = await signInWith(account, 'portal')
    return { actor_id: actor.id, id: state?.credential.id ?? '' }
  }
  const pool = async (): Promise<string> => {
    const resource = { name: fresh() }
    const created = await provision({ operation: 'create_static_device_pool', account_id: account.id, resource })
    return (created as { data: { resource: { id: string } } }).data.resource.id
  }
  const clientSessionOf = () => ({ session: { svc_id: fresh(), public_key: publicKey(), version: '1.4.0' } })
  const client = async () => {
    const actor = await robot()
    const { token } = await clientTokenOf(actor.id)
    return { ...(await create('POST /client/sessions', { token, body: clientSessionOf() })), token, actor }
  }
  const inBerlin = (id: string) => ({ site_id: berlin.id, id })

  const reachable = async () => {
    await gatewaySession((await gateway()).token)
    const { token, actor, id } = await client()
    const { group_id, resource_id } = (await policy()) as { group_id: string; resource_id: string }
    const memberships = [{ actor_id: actor.id }]
    await create('PUT /groups/{group_id}/memberships', { params: { group_id }, body: { memberships } })
    return { token, resource_id, session_id: id, actor_id: actor.id }
  }

  const authorized = async () => {
    const { token, actor_id: _actor, ...authorization } = await reachable()
    return create('POST /client/authorizations', { token, body: { authorization } })
  }

  const samples: Record<string, Sample> = {
    'GET /account': () => ({}),
    // Comes before the samples that create gateways, because it reads all of them.
    'GET /overview': async () => ({}),
    'GET /actors': () => ({}),
    'POST /actors': () => ({ body: { actor: { name: fresh(), type: 'service_account' } } }),
    'GET /actors/{id}': async () => ({ params: { id: (await robot()).id } }),
    'PATCH /actors/{id}': async () => ({ params: { id: (await robot()).id }, body: { actor: { name: fresh() } } }),
    'DELETE /actors/{id}': async () => ({ params: { id: (await robot()).id } }),
    'GET /actors/{actor_id}/client_tokens': async () => ({ params: { actor_id: (await robot()).id } }),
    'POST /actors/{actor_id}/client_tokens': async () => ({
      params: { actor_id: (await robot()).id },
      body: { client_token: { expires_at: inAnHour() } },
    }),
    'DELETE /actors/{actor_id}/client_tokens': async () => {
      const actor_id = (await robot()).id
      await clientTokenOf(actor_id)
      return { params: { actor_id } }
    },
    'GET /actors/{actor_id}/client_tokens/{id}': async () => {
      const actor_id = (await robot()).id
      return { params: { actor_id, id: (await clientTokenOf(actor_id)).id } }
    },
    'DELETE /actors/{actor_id}/client_tokens/{id}': async () => {
      const actor_id = (await robot()).id
      return { params: { actor_id, id: (await clientTokenOf(actor_id)).id } }
    },
    'GET /actors/{actor_id}/api_tokens': () => ({ params: { actor_id: account.apiClient.id } }),
    'POST /actors/{actor_id}/api_tokens': async () => ({
      params: { actor_id: (await pipeline()).id },
      body: { api_token: { expires_at: inAnHour() } },
    }),
    'DELETE /actors/{actor_id}/api_tokens': async () => {
      const actor_id = (await pipeline()).id
      await apiTokenOf(actor_id)
      return { params: { actor_id } }
    },
    'GET /actors/{actor_id}/api_tokens/{id}': async () => {
      const actor_id = (await pipeline()).id
      return { params: { actor_id, id: (await apiTokenOf(actor_id)).id } }
    },
    'DELETE /actors/{actor_id}/api_tokens/{id}': async () => {
      const actor_id = (await pipeline()).id
      return { params: { actor_id, id: (await apiTokenOf(actor_id)).id } }
    },
    'GET /resources/{resource_id}/pool_members': async () => ({ params: { resource_id: await pool() } }),
    'PUT /resources/{resource_id}/pool_members': async () => ({
      params: { resource_id: await pool() },
      body: { pool_members: [{ device_id: (await client()).client.id }] },
    }),
    'PATCH /resources/{resource_id}/pool_members': async () => ({
      params: { resource_id: await pool() },
      body: { pool_members: { add: [(await client()).client.id], remove: [] } },
    }),
    'GET /clients': () => ({}),
    'GET /clients/{id}': async () => ({ params: { id: (await client()).client.id } }),
    'PATCH /clients/{id}': async () => ({
      params: { id: (await client()).client.id },
      body: { client: { name: fresh() } },
    }),
    'DELETE /clients/{id}': async () => ({ params: { id: (await client()).client.id } }),
    'PUT /clients/{id}/verify': async () => ({ params: { id: (await client()).client.id } }),
    'PUT /clients/{id}/unverify': async () => {
      const { id } = (await client()).client
      await create('PUT /clients/{id}/verify', { params: { id } })
      return { params: { id } }
    },
    'POST /client/sessions': async () => ({ token: (await client()).token, body: clientSessionOf() }),
    'PUT /client/sessions/{id}': async () => {
      const { token, id } = await client()
      return { token, params: { id } }
    },
    'GET /client/sessions/{id}/resources': async () => {
      const { token, id } = await client()
      return { token, params: { id } }
    },
    'DELETE /client/sessions/{id}': async () => {
      const { token, id } = await client()
      return { token, params: { id } }
    },
    'POST /client/authorizations': async () => {
      const { token, actor_id: _actor, ...authorization } = await reachable()
      return { token, body: { authorization } }
    },
    'GET /authorizations': async () => ({ query: { resource_id: (await authorized()).resource.id } }),
    'DELETE /authorizations/{id}': async () => ({ params: { id: (await authorized()).id } }),
    'POST /gateway/sessions': async () => ({
      token: (await gateway()).token,
      body: { session: { public_key: publicKey(), version: '1.4.0' } },
    }),
    'PUT /gateway/sessions/{id}': async () => {
      const { token } = await gateway()
      return { token, params: { id: (await gatewaySession(token)).id } }
    },
    'DELETE /gateway/sessions/{id}': async () => {
      const { token } = await gateway()
      return { token, params: { id: (await gatewaySession(token)).id } }
    },
    'GET /groups': () => ({}),
    'POST /groups': () => ({ body: { group: { name: fresh() } } }),
    'GET /groups/{id}': async () => ({ params: { id: (await group()).id } }),
    'PATCH /groups/{id}': async () => ({ params: { id: (await group()).id }, body: { group: { name: fresh() } } }),
    'DELETE /groups/{id}': async () => ({ params: { id: (await group()).id } }),
    'GET /groups/{group_id}/memberships': async () => ({ params: { group_id: (await group()).id } }),
    'PUT /groups/{group_id}/memberships': async () => ({
      params: { group_id: (await group()).id },
      body: { memberships: [{ actor_id: (await robot()).id }] },
    }),
    'PATCH /groups/{group_id}/memberships': async () => ({
      params: { group_id: (await group()).id },
      body: { memberships: { add: [(await robot()).id], remove: [] } },
    }),
    'POST /ingestion/flow_logs': async () => ({
      token: await (await newFlowGrant(account.id)).token(),
      body: { flow_logs: [openRecord()] },
    }),
    'GET /logs': () => ({ query: { type: 'session', begin: new Date().toISOString() } }),
    'GET /logs/{log_id}': async () => ({ params: { log_id: await newestLog() } }),
    'GET /logs/archive': () => ({}),
    'GET /logs/histogram': () => ({ query: { by: 'port' } }),
    'GET /logs/top': () => ({ query: { by: 'resource', order: 'bytes' } }),
    'GET /logs/checkpoints/{log}': () => ({ params: { log: 'changes' } }),
    'GET /logs/checkpoints/{log}/consistency': async () => {
      const to = await sealedSize()
      return { params: { log: 'changes' }, query: { from: String(to), to: String(to) } }
    },
    'GET /logs/checkpoints/{log}/leaves': async () => ({
      params: { log: 'changes' },
      query: { from: '0', to: String(await sealedSize()) },
    }),
    'GET /logs/{log_id}/proof': async () => {
      await sealedSize()
      return { params: { log_id: await firstChange() } }
    },
    'GET /policies': () => ({}),
    'POST /policies': async () => ({ body: await policyOf() }),
    'GET /policies/{id}': async () => ({ params: { id: (await policy()).id } }),
    'PATCH /policies/{id}': async () => ({
      params: { id: (await policy()).id },
      body: { policy: { description: fresh() } },
    }),
    'DELETE /policies/{id}': async () => ({ params: { id: (await policy()).id } }),
    'GET /resources': () => ({}),
    'POST /resources': () => ({ body: resourceOf(berlin.id) }),
    'GET /resources/{id}': async () => ({ params: { id: (await resource()).id } }),
    'PATCH /resources/{id}': async () => ({
      params: { id: (await resource()).id },
      body: { resource: { name: fresh() } },
    }),
    'DELETE /resources/{id}': async () => ({ params: { id: (await resource()).id } }),
    'POST /sign_in/{slug}/email_otp': () => ({
      params: { slug: account.slug },
      body: { sign_in: { email: `${randomUUID()}@example.com`, context: 'client' } },
    }),
    'POST /sign_in/{slug}/email_otp/verify': async () => {
      const { email, passcode } = await mailedPasscode(account.id)
      return { params: { slug: account.slug }, body: { sign_in: { email, passcode, context: 'client' } } }
    },
    'DELETE /sign_in/session': async () => ({ token: (await signInWith(account, 'portal')).token }),
    'GET /sites': () => ({}),
    'POST /sites': () => ({ body: { site: { name: fresh().slice(0, 60) } } }),
    'GET /sites/{id}': async () => ({ params: { id: (await site()).id } }),
    'PATCH /sites/{id}': async () => ({
      params: { id: (await site()).id },
      body: { site: { name: fresh().slice(0, 60) } },
    }),
    'DELETE /sites/{id}': async () => ({ params: { id: (await site()).id } }),
    'POST /sites/{site_id}/gateway_tokens': () => ({ params: { site_id: berlin.id } }),
    'DELETE /sites/{site_id}/gateway_tokens': async () => ({ params: { site_id: (await site()).id } }),
    'DELETE /sites/{site_id}/gateway_tokens/{id}': async () => ({
      params: inBerlin(
        (await create('POST /sites/{site_id}/gateway_tokens', { params: { site_id: berlin.id } })).id as string,
      ),
    }),
    'GET /sites/{site_id}/gateways': async () => ({ params: { site_id: (await site()).id } }),
    'POST /sites/{site_id}/gateways': () => ({ params: { site_id: berlin.id } }),
    'GET /sites/{site_id}/gateways/{id}': async () => ({ params: inBerlin((await gateway()).id) }),
    'PATCH /sites/{site_id}/gateways/{id}': async () => ({
      params: inBerlin((await gateway()).id),
      body: { gateway: { name: fresh() } },
    }),
    'DELETE /sites/{site_id}/gateways/{id}': async () => ({ params: inBerlin((await gateway()).id) }),
    'POST /sites/{site_id}/gateways/{gateway_id}/token': async () => {
      const { id } = await gateway()
      await create('POST /sites/{site_id}/gateways/{gateway_id}/token/rotate', {
        params: { site_id: berlin.id, gateway_id: id },
      })
      const rotated = await tokenOf(id)
      await create('DELETE /sites/{site_id}/gateway_tokens/{id}', { params: inBerlin(rotated) })
      return { params: { site_id: berlin.id, gateway_id: id } }
    },
    'POST /sites/{site_id}/gateways/{gateway_id}/token/rotate': async () => ({
      params: { site_id: berlin.id, gateway_id: (await gateway()).id },
    }),
  }

  addConfigurationSamples(samples, account.id, create)
  // Adds the samples that bring gateways online last, because online gateways change the results of other samples.
  Object.assign(samples, {
    'POST /access/evaluate': async () => {
      const resource = await create('POST /resources', { body: resourceOf((await site()).id) })
      const policy = { group_id: (await group()).id, resource_id: resource.id }
      await create('POST /policies', { body: { policy } })
      return { body: { actor_id: (await robot()).id, resource_id: resource.id } }
    },
    'GET /names': async () => ({
      query: { gateways: (await gateway()).id, groups: `${(await group()).id},${(await group()).id}` },
    }),
    'GET /sites/{site_id}/gateway_tokens': async () => {
      const { id: site_id } = await site()
      await create('POST /sites/{site_id}/gateway_tokens', { params: { site_id } })
      return { params: { site_id } }
    },
    'GET /actors/{actor_id}/portal_sessions': async () => ({ params: { actor_id: (await portalSession()).actor_id } }),
    'DELETE /actors/{actor_id}/portal_sessions': async () => ({
      params: { actor_id: (await portalSession()).actor_id },
    }),
    'DELETE /actors/{actor_id}/portal_sessions/{id}': async () => ({ params: await portalSession() }),
    'GET /search': async () => {
      const { name } = await group()
      await indexCommit((await readCommits(account.id)).at(-1) as unknown as CommitRecord)
      return { query: { q: name.slice(0, 64) } }
    },
    'GET /actors/{actor_id}/groups': async () => ({ params: { actor_id: (await reachable()).actor_id } }),
    'GET /gateways': async () => {
      const { id: site_id } = await site()
      const { token } = await create('POST /sites/{site_id}/gateways', { params: { site_id } })
      await gatewaySession(token)
      return { query: { site_id } }
    },
    'GET /gateways/{id}': async () => {
      const { id, token } = await gateway()
      await gatewaySession(token)
      return { params: { id } }
    },
    'GET /access/refusals': () => ({}),
    'GET /access/resources/{id}/actors': async () => ({ params: { id: (await reachable()).resource_id } }),
    'GET /access/actors/{id}/resources': async () => ({ params: { id: (await reachable()).actor_id } }),
  } satisfies Record<string, Sample>)
  addV0Samples(samples, create)
  addSignInSamples(samples, account)

  /** Seals the change log, and returns the size of its tree. */
  const sealedSize = async (): Promise<number> => {
    await writeChangeLogOf(account.id)
    await sealNow(account.id)
    const { body } = await send('GET /logs/checkpoints/{log}', { params: { log: 'changes' } })
    return body.data.size
  }
  const firstChange = async (): Promise<string> => {
    const [commit] = await readCommits(account.id)
    return logId('change', commit?.time ?? 0, positionTail(0))
  }
  const newestLog = async (): Promise<string> => {
    const listed = await send('GET /logs', { query: { type: 'api_request', limit: '1' } })
    return listed.body.data[0].log_id
  }
  const tokenOf = async (gateway_id: string): Promise<string> =>
    (
      await create('POST /sites/{site_id}/gateways/{gateway_id}/token/rotate', {
        params: { site_id: berlin.id, gateway_id },
      })
    ).id

  return { account, portal, samples, send }
}

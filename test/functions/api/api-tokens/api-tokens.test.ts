import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as createApiToken } from '#functions/api/api-tokens/create-api-token.ts'
import { handler as deleteApiToken } from '#functions/api/api-tokens/delete-api-token.ts'
import { handler as deleteApiTokens } from '#functions/api/api-tokens/delete-api-tokens.ts'
import { handler as getApiToken } from '#functions/api/api-tokens/get-api-token.ts'
import { handler as listApiTokens } from '#functions/api/api-tokens/list-api-tokens.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { clock } from '#shared/clock.ts'
import { call, newAccount } from '#test/support/account.ts'
import { commitsOf } from '#test/support/commit-stream.ts'

type Account = Awaited<ReturnType<typeof newAccount>>

let account: Account
let robot: string
beforeAll(async () => {
  account = await newAccount()
  const actor = { name: 'Robot', type: 'service_account' }
  robot = (await account.call(createActor, { method: 'POST', body: { actor } })).body.data.id
})
afterEach(() => {
  vi.restoreAllMocks()
})

const unknown = '0198a000-0000-7000-8000-000000000000'
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const newClient = async (own: Account = account): Promise<string> => {
  const actor = { name: 'Pipeline', type: 'api_client' }
  return (await own.call(createActor, { method: 'POST', body: { actor } })).body.data.id
}
const create = (actor_id: string, api_token: unknown, token?: string) =>
  account.call(createApiToken, {
    method: 'POST',
    params: { actor_id },
    body: { api_token },
    ...(token ? { token } : {}),
  })
const list = (actor_id: string) => account.call(listApiTokens, { params: { actor_id } })

describe('POST /actors/{actor_id}/api_tokens', () => {
  it('creates a token that works, and shows it once', async () => {
    const actor_id = await newClient()
    const expires_at = inAnHour()
    const answer = await create(actor_id, { name: ' Terraform ', expires_at, scopes: ['groups:read', 'logs:read'] })
    const { token, ...shown } = answer.body.data
    expect([answer.status, answer.headers.location, answer.headers['cache-control']]).toEqual([
      201,
      undefined,
      'no-store',
    ])
    expect(shown).toEqual({
      id: shown.id,
      actor_id,
      name: 'Terraform',
      scopes: ['groups:read', 'logs:read'],
      expires_at: expires_at.replace('Z', '000Z'),
      last_seen_at: null,
      inserted_at: shown.inserted_at,
      updated_at: shown.inserted_at,
    })
    expect((await call(listGroups, { token })).status).toBe(200)
    const read = await account.call(getApiToken, { params: { actor_id, id: shown.id } })
    expect(read.body.data).toEqual({ ...shown, last_seen_at: expect.stringMatching(/Z$/) })
    expect(JSON.stringify(await commitsOf(account.id))).not.toContain(token.slice(-30))
  })

  it('has all scopes unless told otherwise, and drops duplicates', async () => {
    const actor_id = await newClient()
    expect((await create(actor_id, { expires_at: inAnHour() })).body.data).toMatchObject({ scopes: ['*'], name: null })
    const scopes = ['logs:read', '*:read', ' logs:read ']
    const doubled = await create(actor_id, { expires_at: inAnHour(), scopes })
    expect(doubled.body.data.scopes).toEqual(['logs:read', '*:read'])
  })

  it.each<[Record<string, unknown>, Record<string, string[]>]>([
    [{}, { expires_at: ["can't be blank"] }],
    [{ expires_at: '' }, { expires_at: ["can't be blank"] }],
    [{ expires_at: '2026-01-01' }, { expires_at: ['is invalid'] }],
    [{ expires_at: '2020-01-01T00:00:00Z' }, { expires_at: ['must be in the future'] }],
    [{ expires_at: inAnHour(), name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
    [{ expires_at: inAnHour(), name: 5 }, { name: ['is invalid'] }],
    [{ expires_at: inAnHour(), scopes: [] }, { scopes: ['should have at least 1 item(s)'] }],
    [{ expires_at: inAnHour(), scopes: null }, { scopes: ['is invalid'] }],
    [{ expires_at: inAnHour(), scopes: 'groups:read' }, { scopes: ['is invalid'] }],
    [{ expires_at: inAnHour(), scopes: ['groups:delete'] }, { scopes: ['has an invalid entry'] }],
    [{ expires_at: inAnHour(), scopes: ['*:write'] }, { scopes: ['has an invalid entry'] }],
    [{ expires_at: inAnHour(), scopes: [7] }, { scopes: ['has an invalid entry'] }],
  ])('refuses %j', async (fields, errors) => {
    const answer = await create(await newClient(), fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('tells envelope, actor, type, limit, validation and scopes in this order (A13.2)', async () => {
    const limited = await newAccount({ limits: { api_tokens_per_client_count: 0 } })
    const post = (params: { actor_id: string }, body: unknown) =>
      limited.call(createApiToken, { method: 'POST', params, body })
    expect((await post({ actor_id: unknown }, {})).body.code).toBe('bad_request')
    expect((await create(unknown, {})).body.code).toBe('not_found')
    expect((await create(robot, {})).body).toMatchObject({ status: 400, code: 'not_an_api_client' })
    const reached = await post({ actor_id: await newClient(limited) }, { api_token: {} })
    expect(reached.body).toMatchObject({ status: 403, code: 'limit_reached', limit: 'api_tokens' })
    const narrow = (await create(account.apiClient.id, { expires_at: inAnHour(), scopes: ['tokens:write'] })).body.data
    expect((await create(account.apiClient.id, {}, narrow.token)).status).toBe(422)
    expect((await create(account.apiClient.id, { expires_at: inAnHour() }, narrow.token)).body.code).toBe(
      'scope_exceeded',
    )
  })

  it.each<[string[], string[], boolean]>([
    [['tokens:write', 'groups:write'], ['groups:read'], true],
    [['tokens:write', 'groups:write'], ['groups:write', 'tokens:read'], true],
    [['tokens:write', 'groups:read'], ['groups:write'], false],
    [['tokens:write', '*:read'], ['*:read', 'logs:read'], true],
    [['tokens:write', '*:read'], ['*'], false],
    [['tokens:write'], ['*:read'], false],
    [['*'], ['*', '*:read', 'mdm:write'], true],
  ])('with %j a token with %j is made: %s', async (own, scopes, allowed) => {
    const { token } = (await create(account.apiClient.id, { expires_at: inAnHour(), scopes: own })).body.data
    const answer = await create(await newClient(), { expires_at: inAnHour(), scopes }, token)
    expect([answer.status, answer.body.code]).toEqual(allowed ? [201, undefined] : [403, 'scope_exceeded'])
  })

  it('counts unexpired tokens alone against the limit', async () => {
    const limited = await newAccount({ limits: { api_tokens_per_client_count: 2 } })
    const actor_id = await newClient(limited)
    const post = (expires_at: string) =>
      limited.call(createApiToken, { method: 'POST', params: { actor_id }, body: { api_token: { expires_at } } })
    expect((await post(inAnHour())).status).toBe(201)
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect((await post(soon)).status).toBe(201)
    expect((await post(inAnHour())).body.code).toBe('limit_reached')
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 120_000_000)
    expect((await post(inAnHour())).status).toBe(201)
  })
})

describe('GET', () => {
  it('lists newest first, without expired ones and without secrets', async () => {
    const actor_id = await newClient()
    const first = (await create(actor_id, { expires_at: inAnHour(), name: 'first' })).body.data
    await create(actor_id, { expires_at: new Date(Date.now() + 60_000).toISOString(), name: 'soon over' })
    const last = (await create(actor_id, { expires_at: inAnHour(), name: 'last' })).body.data
    const names = async () => (await list(actor_id)).body.data.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['last', 'soon over', 'first'])
    expect((await list(actor_id)).text).not.toMatch(/secret|naa_/)
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 120_000_000)
    expect(await names()).toEqual(['last', 'first'])
    const { metadata } = (await list(actor_id)).body
    expect([metadata.total, metadata.count]).toEqual([2, 2])
    const other = await account.call(getApiToken, { params: { actor_id: account.apiClient.id, id: first.id } })
    expect(other.status).toBe(404)
    expect((await account.call(getApiToken, { params: { actor_id, id: last.id } })).status).toBe(200)
  })

  it('has no tokens of an actor of another type (A13.5)', async () => {
    expect((await list(robot)).body).toMatchObject({ data: [], metadata: { total: 0 } })
    expect((await account.call(getApiToken, { params: { actor_id: robot, id: unknown } })).status).toBe(404)
    const all = await account.call(deleteApiTokens, { method: 'DELETE', params: { actor_id: robot } })
    expect(all.body).toEqual({ data: { deleted_count: 0 } })
  })
})

describe('DELETE', () => {
  it('ends a token at once; a token can delete itself', async () => {
    const actor_id = await newClient()
    const { id, token } = (await create(actor_id, { expires_at: inAnHour() })).body.data
    const request = { method: 'DELETE', params: { actor_id, id } }
    expect((await account.call(deleteApiToken, { ...request, token })).body).toEqual({ data: { id } })
    expect((await call(getAccount, { token })).status).toBe(401)
    expect((await account.call(deleteApiToken, request)).status).toBe(404)
  })

  it('ends all tokens of a client and says how many', async () => {
    const actor_id = await newClient()
    const tokens = []
    for (let i = 0; i < 3; i++) tokens.push((await create(actor_id, { expires_at: inAnHour() })).body.data.token)
    const all = await account.call(deleteApiTokens, { method: 'DELETE', params: { actor_id } })
    expect(all.body).toEqual({ data: { deleted_count: 3 } })
    for (const token of tokens) expect((await call(getAccount, { token })).status).toBe(401)
    expect((await list(actor_id)).body.data).toEqual([])
  })

  it('of an unknown actor is not found', async () => {
    expect((await account.call(deleteApiTokens, { method: 'DELETE', params: { actor_id: unknown } })).status).toBe(404)
    expect((await list(unknown)).status).toBe(404)
  })
})

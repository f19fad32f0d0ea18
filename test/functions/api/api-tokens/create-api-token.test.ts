import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as createApiToken } from '#functions/api/api-tokens/create-api-token.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { clock } from '#shared/core/clock.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { robot } from '#test/support/accounts/actors.ts'
import { apiTokensApi, inAnHour, newApiClient } from '#test/support/accounts/api-tokens.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

const { create, get } = apiTokensApi
const account = await newAccount()
const robotId: string = (await actorsApi.create(account, robot)).body.data.id
afterEach(() => {
  vi.restoreAllMocks()
})

describe('POST /actors/{actor_id}/api_tokens (A13)', () => {
  it('creates a token that works, and returns its secret once', async () => {
    const actor_id = await newApiClient(account)
    const expires_at = inAnHour()
    const answer = await create(account, actor_id, {
      name: ' Terraform ',
      expires_at,
      scopes: ['groups:read', 'logs:read'],
    })
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
    const read = await get(account, actor_id, shown.id)
    expect(read.body.data).toEqual({ ...shown, last_seen_at: expect.stringMatching(/Z$/) })
    expect(JSON.stringify(await readCommits(account.id))).not.toContain(token.slice(-30))
  })

  it.each(['9999-12-31T23:59:59.999999Z', '2300-01-01T00:00:00.000001Z'])('lasts until %s', async (expires_at) => {
    const { id, token, ...shown } = (await create(account, account.apiClient.id, { expires_at })).body.data
    expect(shown.expires_at).toBe(expires_at)
    expect((await call(listGroups, { token })).status).toBe(200)
    expect((await get(account, account.apiClient.id, id)).status).toBe(200)
  })

  it('has all scopes by default, and drops duplicates', async () => {
    const actor_id = await newApiClient(account)
    expect((await create(account, actor_id, { expires_at: inAnHour() })).body.data).toMatchObject({
      scopes: ['*'],
      name: null,
    })
    const scopes = ['logs:read', '*:read', ' logs:read ']
    const doubled = await create(account, actor_id, { expires_at: inAnHour(), scopes })
    expect(doubled.body.data.scopes).toEqual(['logs:read', '*:read'])
  })

  it.each(
    withTitles<[Record<string, unknown>, Record<string, string[]>]>([
      [{}, { expires_at: ["can't be blank"] }],
      [{ expires_at: '' }, { expires_at: ["can't be blank"] }],
      [{ expires_at: '2026-01-01' }, { expires_at: [mustBe.timestamp] }],
      [{ expires_at: '9999-12-31T23:59:59-01:00' }, { expires_at: [mustBe.timestamp] }],
      [{ expires_at: '2020-01-01T00:00:00Z' }, { expires_at: ['must be in the future'] }],
      [{ expires_at: inAnHour(), name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [{ expires_at: inAnHour(), name: 5 }, { name: ['is invalid'] }],
      [{ expires_at: inAnHour(), scopes: [] }, { scopes: ['should have at least 1 item(s)'] }],
      [{ expires_at: inAnHour(), scopes: null }, { scopes: [mustBe.list] }],
      [{ expires_at: inAnHour(), scopes: 'groups:read' }, { scopes: [mustBe.list] }],
      [{ expires_at: inAnHour(), scopes: ['groups:delete'] }, { scopes: [mustBe.scope] }],
      [{ expires_at: inAnHour(), scopes: ['*:write'] }, { scopes: [mustBe.scope] }],
      [{ expires_at: inAnHour(), scopes: [7] }, { scopes: [mustBe.scope] }],
    ]),
  )('refuses %s', async (_name, fields, errors) => {
    const answer = await create(account, await newApiClient(account), fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('checks envelope, actor, type, limit, validation and scopes in this order (A13.2)', async () => {
    const limited = await newAccount({ limits: { api_tokens_per_client_count: 0 } })
    const empty = await account.call(createApiToken, { method: 'POST', params: { actor_id: unknownId }, body: {} })
    expect(empty.body.code).toBe('bad_request')
    expect((await create(account, unknownId, {})).body.code).toBe('not_found')
    expect((await create(account, robotId, {})).body).toMatchObject({ status: 400, code: 'not_an_api_client' })
    const reached = await create(limited, await newApiClient(limited), {})
    expect(reached.body).toMatchObject({ status: 403, code: 'limit_reached', limit: 'api_tokens' })
    const narrow = (await create(account, account.apiClient.id, { expires_at: inAnHour(), scopes: ['tokens:write'] }))
      .body.data
    expect((await create(account, account.apiClient.id, {}, narrow.token)).status).toBe(422)
    expect((await create(account, account.apiClient.id, { expires_at: inAnHour() }, narrow.token)).body.code).toBe(
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
  ])('a token with %j creates one with %j: %s', async (own, scopes, allowed) => {
    const { token } = (await create(account, account.apiClient.id, { expires_at: inAnHour(), scopes: own })).body.data
    const answer = await create(account, await newApiClient(account), { expires_at: inAnHour(), scopes }, token)
    expect([answer.status, answer.body.code]).toEqual(allowed ? [201, undefined] : [403, 'scope_exceeded'])
  })

  it('counts only unexpired tokens against the limit', async () => {
    const limited = await newAccount({ limits: { api_tokens_per_client_count: 2 } })
    const actor_id = await newApiClient(limited)
    const post = (expires_at: string) => create(limited, actor_id, { expires_at })
    expect((await post(inAnHour())).status).toBe(201)
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect((await post(soon)).status).toBe(201)
    expect((await post(inAnHour())).body.code).toBe('limit_reached')
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 120_000_000)
    expect((await post(inAnHour())).status).toBe(201)
  })
})

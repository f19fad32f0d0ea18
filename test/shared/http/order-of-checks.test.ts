import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as getDevice } from '#functions/api/mdm-devices/get-mdm-device.ts'
import { handler as createPostureProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { handler as updateSite } from '#functions/api/sites/update-site.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock } from '#shared/core/clock.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { failTable, inserts } from '#test/support/table/table-faults.ts'

type Account = Awaited<ReturnType<typeof newAccount>>
type Handler = Parameters<Account['call']>[0]
type Request = NonNullable<Parameters<Account['call']>[1]>

const unknown = { id: unknownId }
const html = { accept: 'text/html' }
const badKey = { 'idempotency-key': ' ' }

let account: Account
let readOnly: string
beforeAll(async () => {
  account = await newAccount({ limits: { sites_count: 1 }, features: { device_posture: false } })
  const api_token = { expires_at: '2099-01-01T00:00:00Z', scopes: ['groups:read'] }
  const made = await provision({ operation: 'create_api_token', token_in: 'answer', account_id: account.id, api_token })
  readOnly = (made as { data: { api_token: { token: string } } }).data.api_token.token
})
afterEach(() => {
  vi.restoreAllMocks()
})

const loseLogEntries = () => failTable('ServiceUnavailable', inserts('#log.api_request#'))

describe('the order of checks (A4): the earlier of two failing checks responds', () => {
  it.each<[string, Handler, Request, string]>([
    ['2 size, 3 credential', createGroup, { token: null, rawBody: ' '.repeat(5_000_001) }, 'payload_too_large'],
    ['3 credential, 6 scope', createGroup, { token: 'naa_x', body: {} }, 'unauthorized'],
    ['6 scope, 7 Accept', createGroup, { token: 'readOnly', headers: html }, 'insufficient_scope'],
    ['6 scope, 8 path ids', updateGroup, { token: 'readOnly', params: { id: 'x' } }, 'insufficient_scope'],
    ['6 scope, 11 body', createGroup, { token: 'readOnly', rawBody: '{' }, 'insufficient_scope'],
    ['6 scope, 12 existence', updateGroup, { token: 'readOnly', params: unknown, body: {} }, 'insufficient_scope'],
    ['7 Accept, 8 path ids', getGroup, { params: { id: 'x' }, headers: html }, 'not_acceptable'],
    ['8 path ids, 9 feature', getDevice, { params: { id: 'x' } }, 'invalid_path_parameter'],
    ['8 path ids, 11 body', updateGroup, { params: { id: 'x' }, rawBody: '{' }, 'invalid_path_parameter'],
    ['9 feature, 10 key', createPostureProvider, { rawBody: '{', headers: badKey }, 'feature_not_enabled'],
    ['9 feature, 11 body', createPostureProvider, { rawBody: '{' }, 'feature_not_enabled'],
    ['10 key, 11 body', createGroup, { rawBody: '{', headers: badKey }, 'invalid_idempotency_key'],
    ['11 query, 12 existence', listLogs, { query: 'limit=x&type=y' }, 'invalid_limit'],
    ['11 JSON, 12 existence', updateSite, { params: unknown, rawBody: '{' }, 'invalid_json'],
    ['11 envelope, 12 existence', updateSite, { params: unknown, body: {} }, 'bad_request'],
    [
      '11 envelope, 12 existence of memberships',
      replaceMemberships,
      { params: { group_id: unknown.id }, body: { memberships: {} } },
      'bad_request',
    ],
    [
      '12 existence, 13 If-Match',
      updateSite,
      { params: unknown, body: { site: {} }, headers: { 'if-match': '"x"' } },
      'not_found',
    ],
    ['12 existence, 15 validation', updateSite, { params: unknown, body: { site: { name: '' } } }, 'not_found'],
    [
      '13 If-Match, 14 refusal',
      updateSite,
      { params: { id: 'Internet' }, body: { site: { name: 'x' } }, headers: { 'if-match': '"x"' } },
      'precondition_failed',
    ],
    [
      '14 refusal, 15 validation',
      updateSite,
      { params: { id: 'Internet' }, body: { site: { name: '' } } },
      'system_site',
    ],
    ['14 limit, 15 validation', createSite, { body: { site: {} } }, 'limit_reached'],
    // Covers the only exception: a refusal of a group precedes the check of its body (A14.3).
    ['12 existence, 11 envelope of a group', updateGroup, { params: unknown, body: {} }, 'not_found'],
    ['14 refusal, 11 envelope of a group', updateGroup, { params: { id: 'Everyone' }, rawBody: '{' }, 'managed_group'],
  ])('%s', async (_name, handler, request, code) => {
    const listOperations: Record<string, Handler> = { Internet: listSites, Everyone: listGroups }
    const name = request.params?.id ?? ''
    const list = listOperations[name]
    const id = list && (await account.call(list, { query: { name } })).body.data[0].id
    const answer = await account.call(handler, {
      method: handler === getDevice || handler === getGroup || handler === listLogs ? 'GET' : 'POST',
      ...request,
      ...(id && { params: { id } }),
      ...(request.token === 'readOnly' && { token: readOnly }),
    })
    expect(answer.body.code).toBe(code)
  })

  it('3 credential, 4 rate limit, 5 request log, 6 scope', async () => {
    const ownAccount = await newAccount({ limits: { api_capacity: 2, api_refill_rate: 1 } })
    const api_token = { expires_at: '2099-01-01T00:00:00Z', scopes: ['logs:read'] }
    const made = await provision({
      operation: 'create_api_token',
      token_in: 'answer',
      account_id: ownAccount.id,
      api_token,
    })
    const { token } = (made as { data: { api_token: { token: string } } }).data.api_token
    const now = clock.now()
    vi.spyOn(clock, 'now').mockReturnValue(now)
    const request = { method: 'POST', token, body: { group: {} } }
    loseLogEntries()
    expect((await ownAccount.call(createGroup, request)).body.code).toBe('unavailable')
    expect((await ownAccount.call(getGroup, { token, params: unknown })).body.code).toBe('unavailable')
    expect((await ownAccount.call(createGroup, request)).body.code).toBe('rate_limited')
    expect((await ownAccount.call(createGroup, { ...request, token: `${token.slice(0, -2)}AA` })).body.code).toBe(
      'unauthorized',
    )
  })

  it('14 the Internet Resource, for any body', async () => {
    const { id } = (await account.call(listResources, { query: { name: 'Internet' } })).body.data[0]
    const send = (request: Request) => account.call(updateResource, { method: 'PATCH', params: { id }, ...request })
    expect((await send({ body: { resource: { name: 7 } } })).body.code).toBe('internet_resource')
    expect((await send({ body: {} })).body.code).toBe('bad_request')
  })
})

import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { clock } from '#shared/core/clock.ts'
import { dayOf, logPartition } from '#shared/logs/entries/log-keys.ts'
import { readEntry } from '#shared/logs/entries/log-store.ts'
import type { LogItem } from '#shared/logs/part-reader.ts'
import { storedText } from '#shared/seal/log/entry-text.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { failTable, inserts } from '#test/support/table/table-faults.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const create = (request: Record<string, unknown> = {}) =>
  account.call(createGroup, { method: 'POST', body: { group: { name: `Group ${crypto.randomUUID()}` } }, ...request })
const total = async () => (await account.call(listGroups)).body.metadata.total
const unknown = { id: unknownId }

describe('x-request-id', () => {
  it.each(['abc', 'A.b_c-9', 'x'.repeat(200)])('keeps %j', async (id) => {
    const answer = await account.call(getGroup, { params: unknown, headers: { 'x-request-id': id } })
    expect([answer.headers['x-request-id'], answer.body.request_id]).toEqual([id, id])
  })

  it.each(['', 'with space', 'ü', 'a/b', 'x'.repeat(201)])('generates an id instead of %j', async (id) => {
    const answer = await account.call(getAccount, { headers: { 'x-request-id': id } })
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
  })
})

describe('an id in a path', () => {
  it('is named with its required form if it is invalid', async () => {
    const { status, body } = await account.call(getGroup, { params: { id: 'x' } })
    expect([status, body.code, body.detail]).toEqual([
      400,
      'invalid_path_parameter',
      'id must be a UUID or 24 hexadecimal characters.',
    ])
  })
})

describe('response headers', () => {
  it('have the content type and mark the response as private', async () => {
    const created = await create()
    expect(created.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
    })
    const missing = await account.call(getGroup, { params: unknown })
    expect(missing.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(missing.body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'The requested resource was not found.',
      code: 'not_found',
      request_id: missing.headers['x-request-id'],
    })
  })

  it.each([
    ['application/json', 200],
    ['*/*', 200],
    ['text/html, application/json;q=0.1', 200],
    ['application/*', 200],
    ['', 200],
    ['text/html', 406],
    ['application/json;q=0', 406],
    ['*/*, application/json;q=0', 406],
  ])('negotiate %s with status %d', async (accept, status) => {
    expect((await account.call(getAccount, { headers: { accept } })).status).toBe(status)
  })
})

describe('the request body', () => {
  it.each([
    ['application/json; charset=utf-8', 201],
    ['APPLICATION/JSON', 201],
    ['', 201],
    ['text/json', 400],
    ['application/merge-patch+json', 400],
  ])('of type %j is %d', async (type, status) => {
    expect((await create({ headers: { 'content-type': type } })).status).toBe(status)
  })

  it('may be base64, as API Gateway encodes binary types', async () => {
    const rawBody = Buffer.from(JSON.stringify({ group: { name: `Grüße ${crypto.randomUUID()}` } }))
    expect((await create({ rawBody })).body.data.name).toMatch(/^Grüße/)
  })

  it.each([
    ['', 'bad_request'],
    ['{', 'invalid_json'],
    ['null', 'bad_request'],
    ['[]', 'bad_request'],
    ['{"group":[]}', 'bad_request'],
    [JSON.stringify({ group: {}, ...Array(1_000).fill(0) }), 'bad_request'],
    ['{"__proto__":{"name":"x"}}', 'bad_request'],
  ])('%j is %s', async (rawBody, code) => {
    const answer = await create({ rawBody, body: undefined })
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  it('with invalid UTF-8 is invalid_json', async () => {
    const rawBody = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
    const answer = await create({ rawBody, body: undefined })
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      400,
      'invalid_json',
      'The request body is not UTF-8 text.',
    ])
  })

  it('with malformed JSON is refused with the position of the fault, and none of its content', async () => {
    const answer = await create({ rawBody: '{"group":\n  {"name" "secret"}}', body: undefined })
    expect(answer.body.detail).toBe('The request body is not valid JSON at line 2, column 11.')
  })
})

describe('the request log', () => {
  it('has every request after the rate limit, with any outcome, and no other', async () => {
    const ownAccount = await newAccount()
    const paths = ['/scope', '/accept', '/path', '/body', '/fields']
    await ownAccount.call(createGroup, { method: 'POST', path: '/nobody', token: 'naa_x' })
    await ownAccount.call(createGroup, { method: 'POST', path: '/large', rawBody: ' '.repeat(5_000_001) })
    await ownAccount.call(getAccount, { path: '/accept', headers: { accept: 'text/html' } })
    await ownAccount.call(getGroup, { path: '/path', params: { id: 'x' } })
    await ownAccount.call(createGroup, { method: 'POST', path: '/body', rawBody: '{' })
    await ownAccount.call(createGroup, { method: 'POST', path: '/fields', body: { group: {} } })
    const listed = await ownAccount.call(listLogs, { path: '/logs', query: { type: 'api_request' } })
    const recorded = listed.body.data.map(({ path }: { path: string }) => path)
    expect(recorded).toEqual(['/logs', ...paths.slice(1).reverse()])
  })
})

it('logs a long path in a form that can be sealed, even if it was cut within a character', async () => {
  await account.call(getAccount, { path: `/groups/${'x'.repeat(2_039)}😀` })
  const items = await queryItems<LogItem>(logPartition(account.id, 'api_request', dayOf(clock.now())))
  const cut = items.filter((item) => String(readEntry(item).path).length === 2_048)
  expect(cut.map((item) => JSON.parse(storedText(item)).path.at(-1))).toEqual(['\uFFFD'])
})

describe('a failing table', () => {
  it('causes 503 with Retry-After and no effect before the request is logged', async () => {
    const before = await total()
    failTable('ServiceUnavailable', inserts('#log.api_request#'))
    const answer = await create()
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
    const read = await account.call(getAccount)
    expect(read.status).toBe(503)
    vi.restoreAllMocks()
    expect(await total()).toBe(before)
  })

  it.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded', 'TimeoutError'])(
    'causes 503 for a read with %s',
    async (name) => {
      failTable(name, (command) => JSON.stringify((command as { input: object }).input).includes(unknown.id))
      const answer = await account.call(getGroup, { params: unknown })
      expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
      expect(answer.text).not.toContain('arn:')
    },
  )

  it.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'TransactionInProgressException'])(
    'causes 503 and no effect for a write with %s on every retry',
    async (name) => {
      const before = await total()
      const now = clock.monotonic
      let passed = 0
      vi.spyOn(clock, 'monotonic').mockImplementation(() => now() + passed)
      failTable(
        name,
        (command) => command instanceof TransactWriteCommand,
        // Advances the clock instead of waiting, so that retries take no time.
        () => (passed += 23_000),
      )
      const answer = await create()
      expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
      expect(answer.text).not.toContain('arn:')
      vi.restoreAllMocks()
      expect(await total()).toBe(before)
    },
  )

  it('causes 503, never 401, for an unreadable credential', async () => {
    failTable('ThrottlingException', () => true)
    expect((await account.call(getAccount)).status).toBe(503)
  })

  it('a bug is 500 with the same detail for any cause', async () => {
    failTable('ValidationException', (command) => command instanceof TransactWriteCommand)
    const answer = await create()
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'An unexpected error occurred.',
      code: 'internal_error',
      request_id: answer.headers['x-request-id'],
    })
  })
})

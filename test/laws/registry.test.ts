import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { OperationSource } from '#functions/operations.ts'
import { routeId, servedPath } from '#infra/api/route-id.ts'
import { covers } from '#shared/core/permission.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { type Entry, loadEntries } from '#test/support/operations/operations.ts'

const entries = await loadEntries()
const account = entries.filter(({ operation: { credential = 'api', path } }) => credential === 'api' && !isV0(path))
const withIds = account.filter(({ operation }) => operation.path.includes('{'))
/** Operations with a body but no path ids, so that the body can be checked without existing objects. */
const withBody = account.flatMap((entry) => {
  const { body, path } = entry.operation
  return body && !path.includes('{') ? [{ ...entry, envelope: body.envelope }] : []
})
const surface = (name: string) => entries.filter(({ operation }) => operation.credential === name)

const params = ({ operation }: OperationSource, id: string = randomUUID()) =>
  Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, id]))
const bodyOf = ({ operation: { body } }: OperationSource) =>
  body && (body.envelope === null ? {} : { [body.envelope]: body.shape === 'list' ? [] : {} })
const request = (entry: Entry) => ({ method: entry.operation.method, params: params(entry), body: bodyOf(entry) })

let ownAccount: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  ownAccount = await newAccount()
})

it('has one operation per file, or those of one method in a family, exported as the handler', () => {
  const served = entries.map(({ operation, file }) => `${file} ${routeId(operation.method, servedPath(operation))}`)
  const files = entries.map(({ file }) => file)
  expect(new Set(served).size).toBe(new Set(files).size)
  const alone = entries.filter(({ operation }) => operation.family === undefined).map(({ file }) => file)
  expect(new Set(alone).size).toBe(alone.length)
  for (const { handler, file } of entries) expect(handler, file).toBeTypeOf('function')
})

it('has each method and path once', () => {
  const routes = entries.flatMap(({ operation: { method, alias, path } }) =>
    [method, alias].filter(Boolean).map((m) => `${m} ${path}`),
  )
  expect(new Set(routes).size).toBe(routes.length)
})

describe.each(account)('$name', (entry) => {
  it('refuses every invalid credential with an equal body', async () => {
    const wrong = [
      null,
      'x',
      ownAccount.token.slice(0, -1),
      `${ownAccount.token}A`,
      ownAccount.token.replace('naa_', 'nac_'),
      ownAccount.token.replace('naa_', 'nag_'),
    ]
    const answers = await Promise.all(wrong.map((token) => call(entry.handler, { ...request(entry), token })))
    for (const { status, body, headers } of answers) {
      expect([status, headers['www-authenticate'], headers['x-request-id']]).toEqual([401, 'Bearer', body.request_id])
      expect({ ...body, request_id: '' }).toEqual({ ...answers[0]?.body, request_id: '' })
    }
  })

  it('refuses a body over 5,000,000 bytes, and an Accept without JSON', async () => {
    const large = await ownAccount.call(entry.handler, {
      ...request(entry),
      body: undefined,
      rawBody: ' '.repeat(5_000_001),
    })
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large'])
    const picky = await ownAccount.call(entry.handler, { ...request(entry), headers: { accept: 'text/html' } })
    expect([picky.status, picky.body.code]).toEqual([406, 'not_acceptable'])
  })
})

it('requires no scope only for GET /account and GET /overview, and scopes that depend on the query only for GET /names and GET /search', () => {
  const others = account.filter(({ operation }) => !operation.permission)
  expect(others.map(({ name, operation }) => [name, operation.permissionsOf !== undefined])).toEqual([
    ['GET /account', false],
    ['GET /names', true],
    ['GET /overview', false],
    ['GET /search', true],
  ])
})

describe.each(account.filter(({ operation }) => operation.permission))('$name', (entry) => {
  it('has a scope, and refuses a token without it', async () => {
    const { permission } = entry.operation
    expect(permission).toMatch(entry.operation.method === 'GET' ? /:read$/ : /:(read|write)$/)
    expect(covers(['*'], permission as never)).toBe(true)
    const scopes = [permission?.startsWith('mdm') ? 'sites:write' : 'mdm:write']
    const limited = await limitedToken(scopes)
    const answer = await call(entry.handler, { ...request(entry), token: limited })
    expect([answer.status, answer.body.code, answer.body.required_scope]).toEqual([
      403,
      'insufficient_scope',
      permission,
    ])
  })
})

// Excludes `{log}`, because it is one of several fixed names and not an id. Any other name results in 404.
const withFreeIds = withIds.filter(({ operation }) => !operation.path.includes('{log}'))

describe.each(withFreeIds)('$name', (entry) => {
  it('refuses malformed path ids', async () => {
    const malformed = await ownAccount.call(entry.handler, { ...request(entry), params: params(entry, 'nonsense') })
    expect([malformed.status, malformed.body.code]).toEqual([400, 'invalid_path_parameter'])
  })
})

// Excludes ids of log entries, which are not UUIDs.
describe.each(withIds.filter(({ operation }) => !operation.path.includes('{log_id}')))('$name', (entry) => {
  it('returns 404 for unknown path ids', async () => {
    const unknown = await ownAccount.call(entry.handler, request(entry))
    expect([unknown.status, unknown.body.code], JSON.stringify(unknown.body)).toEqual([404, 'not_found'])
  })
})

describe.each(withBody)('the body of $name', (entry) => {
  it('refuses malformed JSON and a wrong envelope', async () => {
    const { envelope } = entry
    const { method } = entry.operation
    const broken = await ownAccount.call(entry.handler, { method, params: params(entry), rawBody: '{"a":' })
    expect([broken.status, broken.body.code]).toEqual([400, 'invalid_json'])
    const wrong = envelope === null ? [] : [{ nothing: {} }, { [envelope]: 7 }, { [envelope]: null }]
    for (const body of [[], 'text', ...wrong]) {
      const answer = await ownAccount.call(entry.handler, { method, params: params(entry), body })
      expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([400, 'bad_request'])
    }
    const form = await ownAccount.call(entry.handler, {
      method,
      params: params(entry),
      rawBody: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(form.body.detail).toBe('The request body must be JSON with Content-Type application/json.')
  })
})

async function limitedToken(scopes: string[]): Promise<string> {
  const { handler: provision } = await import('#functions/tasks/provision-account.ts')
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const result = await provision({
    operation: 'create_api_token',
    token_in: 'answer',
    account_id: ownAccount.id,
    api_token: { expires_at, scopes },
  })
  return (result as { data: { api_token: { token: string } } }).data.api_token.token
}

describe.each([...surface('gateway'), ...surface('client')])('$name', (entry) => {
  it('refuses an API token like a missing token', async () => {
    for (const token of [null, ownAccount.token, 'nonsense']) {
      const answer = await call(entry.handler, { ...request(entry), token })
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized'])
    }
  })
})

describe.each(account.filter(({ operation: { method } }) => ['PUT', 'PATCH', 'DELETE'].includes(method)))(
  '$name',
  (entry) => {
    it('compares If-Match with the object that its GET returns, if there is one', () => {
      const item = account.find(({ operation: { method, path, filters } }) => {
        const path_ = entry.operation.path.replace(/\/(un)?verify$/, '')
        return method === 'GET' && path === path_ && !filters
      })
      expect(entry.operation.etagFrom).toBe(item?.operation)
    })
  },
)

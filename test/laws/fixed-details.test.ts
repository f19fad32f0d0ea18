import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { handler as unknownRoute } from '#functions/api/unknown-route.ts'
import { type Account, type Answer, newAccount } from '#test/support/accounts/account.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { failTable } from '#test/support/table/table-faults.ts'

/** Line of the contract that lists the fixed details and their statuses. `<name>` represents a variable part. */
const line = /^Fixed details: .*$/m.exec(readFileSync('docs/contract/account-api.md', 'utf8'))?.[0] ?? ''
const details = line.split('; ').flatMap((part) => {
  const [, status] = /\b([45]\d\d)\b/.exec(part) ?? []
  return [...part.matchAll(/`([^`]+)`/g)].map(([, text = '']) => ({ status: Number(status), text }))
})

let account: Account
beforeAll(async () => {
  vi.stubGlobal('ROUTE_TABLE', '{"/groups":["GET","POST"]}')
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => {
  vi.unstubAllGlobals()
})

const create = (request: object) => account.call(createGroup, { method: 'POST', ...request })
const group = (name: string) => ({ body: { group: { name } } })

const requests: Record<string, () => Promise<Answer>> = {
  '<parameter> must be a UUID or 24 hexadecimal characters.': () => account.call(getGroup, { params: { id: 'x' } }),
  'The request body is not valid JSON at line <line>, column <column>.': () => create({ rawBody: '{' }),
  'The request body is not UTF-8 text.': () => create({ rawBody: Buffer.from([0x7b, 0xff]) }),
  'The request body must be a JSON object.': () => create({ rawBody: '[]' }),
  'The request body must have the key <envelope>.': () => create({ rawBody: '{}' }),
  'limit must be an integer.': () => account.call(listGroups, { query: 'limit=x' }),
  'page_cursor is not valid for this list.': () => account.call(listGroups, { query: 'page_cursor=x' }),
  'Idempotency-Key must be 1 to 255 visible ASCII characters.': () =>
    create({ ...group('One'), headers: { 'idempotency-key': 'é' } }),
  'Credentials are missing or invalid.': () => account.call(listGroups, { token: null }),
  'The group Everyone is managed by the system.': async () => {
    const { body } = await account.call(listGroups, {})
    return account.call(updateGroup, { method: 'PATCH', params: { id: body.data[0].id }, ...group('Nobody') })
  },
  'The requested resource was not found.': () => account.call(getGroup, { params: { id: unknownId } }),
  'This path does not exist. Paths have no trailing slash.': () => account.call(unknownRoute, { path: '/groups/' }),
  'This path does not support this method.': () => account.call(unknownRoute, { method: 'DELETE', path: '/groups' }),
  'The response is only available as application/json.': () =>
    account.call(listGroups, { headers: { accept: 'text/xml' } }),
  'A precondition of the request is not met.': async () => {
    const { body } = await create(group('Two'))
    const headers = { 'if-match': '"other"' }
    return account.call(updateGroup, { method: 'PATCH', params: { id: body.data.id }, headers, ...group('Three') })
  },
  'The request body is too large.': () => create({ rawBody: 'x'.repeat(5_000_001) }),
  'The request body failed validation.': () => create({ body: { group: {} } }),
  'This Idempotency-Key was used for another request.': async () => {
    const headers = { 'idempotency-key': 'key' }
    await create({ ...group('Four'), headers })
    return create({ ...group('Five'), headers })
  },
  'Too many requests. Retry later.': async () => {
    const small = await newAccount({ limits: { api_capacity: 1, api_refill_rate: 1 } })
    for (;;) {
      const answer = await small.call(listGroups, {})
      if (answer.status !== 200) return answer
    }
  },
  'An unexpected error occurred.': () => {
    failTable('ValidationException', () => true)
    return account.call(listGroups, {})
  },
}

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/<[a-z]+>/g, '\\w+')}$`)

it('equal those of the contract', () => {
  expect(details.map(({ text }) => text).toSorted()).toEqual(Object.keys(requests).toSorted())
})

it.each(details)('the service returns $status $text', async ({ status, text }) => {
  const answer = await requests[text]?.()
  expect([answer?.status, answer?.body]).toEqual([
    status,
    expect.objectContaining({ detail: expect.stringMatching(patternOf(text)) }),
  ])
})

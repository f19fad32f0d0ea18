import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

const entries = (await loadEntries()).filter(({ operation }) => operation.feature)

let account: Account
beforeAll(async () => {
  account = await newAccount({ features: { device_posture: false } })
})

it('is required by exactly the operations of device posture (A28)', async () => {
  expect(entries.map(({ operation }) => operation.path).every((path) => path.startsWith('/mdm_'))).toBe(true)
  const all = (await loadEntries()).filter(({ operation }) => operation.path.startsWith('/mdm_'))
  expect(entries).toHaveLength(all.length)
})

describe.each(entries)('$name', ({ handler, operation }) => {
  it('requires the feature, checked before query and body (A4)', async () => {
    const params = { id: '0198a000-0000-7000-8000-000000000000' }
    const { method, path } = operation
    const request = { method, query: 'limit=x', ...(path.includes('{') && { params }) }
    const { status, body } = await account.call(handler, { ...request, ...(method !== 'GET' && { rawBody: '{' }) })
    expect([status, body.code, body.feature]).toEqual([403, 'feature_not_enabled', operation.feature])
  })
})

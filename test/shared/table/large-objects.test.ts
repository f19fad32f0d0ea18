import { describe, expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as createResource } from '#functions/api/resources/create-resource.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as getResource } from '#functions/api/resources/get-resource.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { verifyChangeLog } from '#shared/logs/verify-change-log.ts'
import { maxRowBytes } from '#shared/table/large-attributes.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { readCommits, writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { seedOf } from '#test/support/run/seeds.ts'

const random = new SeededRandom(seedOf('PROPERTY_SEED'))

/** Creates the maximum number of filters that an object can have, with 500 ports each (A31). The ranges compress as badly as possible. */
const maxFilters = (count = 32) =>
  Array.from({ length: count }, () => ({
    protocol: 'tcp',
    ports: Array.from({ length: 500 }, (_, i) => `${i * 130 + random.int(1, 59)} - ${i * 130 + random.int(60, 129)}`),
  }))

/**
 * Creates the maximum number of condition values that an object can have, each of the maximum length. The many decimal places of the time
 * (`9:00:00.123…`) have no effect.
 */
const maxConditions = (count = 64) => {
  const digits = () =>
    Array.from({ length: 430 }, () => random.int(0, 999_999_999).toString().padStart(9, '0')).join('')
  const values = Array.from({ length: count }, () => `M/9:00:00.${digits()}-17/Europe/Warsaw`)
  return [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values }]
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const tooLarge = 'is too large to be stored'

describe('a resource of 256 KB', () => {
  it('is stored, updated, listed, logged and deleted like any other', async () => {
    const { account, site } = await newAccessWorld()
    const filters = maxFilters()
    expect(bytes(filters)).toBeGreaterThan(0.85 * maxRowBytes)
    const fields = { name: 'Everything', type: 'dns', address: 'all.example.com', site_id: site.id, filters }
    const headers = { 'idempotency-key': 'large' }
    const created = await account.call(createResource, { method: 'POST', body: { resource: fields }, headers })
    expect([created.status, created.body.data.filters]).toEqual([201, filters])
    const again = await account.call(createResource, { method: 'POST', body: { resource: fields }, headers })
    expect(again.text).toBe(created.text)

    const params = { id: created.body.data.id }
    const others = maxFilters()
    const changed = await account.call(updateResource, {
      method: 'PATCH',
      params,
      body: { resource: { filters: others } },
    })
    expect([changed.status, changed.body.data.filters]).toEqual([200, others])
    expect((await account.call(getResource, { params })).body.data.filters).toEqual(others)
    const listed = await account.call(listResources, { query: { name: 'Everything' } })
    expect(listed.body.data[0].filters).toEqual(others)

    await writeChangeLogOf(account.id)
    const update = (await readCommits(account.id)).at(-1) as { time: number }
    const log_id = logId('change', update.time, positionTail(0))
    const entry = (await account.call(getLog, { params: { log_id } })).body.data
    expect([entry.operation, entry.before.filters, entry.after.filters]).toEqual(['update', filters, others])
    const verified = await verifyChangeLog({ account_id: account.id, end: timestamp(clock.now()) })
    expect(verified.damages).toEqual([])
    expect(verified.entries).toBeGreaterThan(0)
    expect((await account.call(deleteResource, { method: 'DELETE', params })).status).toBe(200)
  })
})

describe('a policy of 256 KB', () => {
  it('is stored, updated and deleted', async () => {
    const { account, group, addResource } = await newAccessWorld()
    const { id: resource_id } = await addResource({ name: 'Other', address: 'other.example.com' })
    const policy = { group_id: group.id, resource_id, conditions: maxConditions() }
    expect(bytes(policy)).toBeGreaterThan(0.95 * maxRowBytes)
    const created = await account.call(createPolicy, { method: 'POST', body: { policy } })
    expect([created.status, created.body.data.conditions]).toEqual([201, policy.conditions])
    const params = { id: created.body.data.id }
    const conditions = maxConditions()
    const changed = await account.call(updatePolicy, { method: 'PATCH', params, body: { policy: { conditions } } })
    expect([changed.status, changed.body.data.conditions]).toEqual([200, conditions])
    expect((await account.call(deletePolicy, { method: 'DELETE', params })).status).toBe(200)
  })
})

describe('an object above 256 KB', () => {
  it('is refused with the name of its largest field, and changes nothing', async () => {
    const { account, group, site, addResource } = await newAccessWorld()
    const { id: resource_id } = await addResource({ name: 'Other', address: 'other.example.com' })
    const before = (await readCommits(account.id)).length
    const policy = { group_id: group.id, resource_id, conditions: maxConditions(70) }
    const refused = await account.call(createPolicy, { method: 'POST', body: { policy } })
    expect([refused.status, refused.body.errors]).toEqual([422, { base: [tooLarge], conditions: [tooLarge] }])
    const resource = { name: 'All', type: 'dns', address: 'a.example.com', site_id: site.id, filters: maxFilters(50) }
    const other = await account.call(createResource, { method: 'POST', body: { resource } })
    expect([other.status, other.body.errors]).toEqual([422, { base: [tooLarge], filters: [tooLarge] }])
    expect((await readCommits(account.id)).length).toBe(before)
  })
})

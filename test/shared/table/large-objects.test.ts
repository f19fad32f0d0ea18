import { describe, expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as createResource } from '#functions/api/resources/create-resource.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as getResource } from '#functions/api/resources/get-resource.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { logId, positionTail } from '#shared/logs/log-id.ts'
import { SeededRandom } from '#test/simulation/seeded-random.ts'
import { newAccessWorld } from '#test/support/access.ts'
import { commitsOf, writeChangeLogOf } from '#test/support/commit-stream.ts'
import { seedOf } from '#test/support/seeds.ts'

const random = new SeededRandom(seedOf('PROPERTY_SEED'))

/** As many filters and ports as there can be (A31). */
const mostFilters = () =>
  Array.from({ length: 100 }, () => {
    const start = random.int(1, 59)
    return {
      protocol: 'tcp',
      ports: Array.from({ length: 500 }, (_, i) => `${start + i * 130} - ${start + i * 130 + 99}`),
    }
  })

describe('a resource with 100 filters of 500 ports', () => {
  it('is stored, changed, listed, logged and deleted like any other', async () => {
    const { account, site } = await newAccessWorld()
    const filters = mostFilters()
    const fields = { name: 'Everything', type: 'dns', address: 'all.example.com', site_id: site.id, filters }
    const headers = { 'idempotency-key': 'large' }
    const created = await account.call(createResource, { method: 'POST', body: { resource: fields }, headers })
    expect([created.status, created.body.data.filters]).toEqual([201, filters])
    const again = await account.call(createResource, { method: 'POST', body: { resource: fields }, headers })
    expect(again.text).toBe(created.text)

    const params = { id: created.body.data.id }
    const others = mostFilters()
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
    const update = (await commitsOf(account.id)).at(-1) as { time: number }
    const log_id = logId('change', update.time, positionTail(0))
    const entry = (await account.call(getLog, { params: { log_id } })).body.data
    expect([entry.operation, entry.before.filters, entry.after.filters]).toEqual(['update', filters, others])
    expect((await account.call(deleteResource, { method: 'DELETE', params })).status).toBe(200)
  })
})

describe('an object larger than anything the contract describes', () => {
  it('is refused with a reason, and changes nothing', async () => {
    const { account, group, addResource } = await newAccessWorld()
    const resource = await addResource({ name: 'Other', address: 'other.example.com' })
    const time = () => `${random.int(10, 12)}:${random.int(10, 59)}:${random.int(10, 59)}-23:${random.int(10, 59)}:59`
    const values = Array.from({ length: 1000 }, () => `M/${Array.from({ length: 100 }, time).join(',')}/Europe/Warsaw`)
    const conditions = [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values }]
    const policy = { group_id: group.id, resource_id: resource.id, conditions }
    const before = (await commitsOf(account.id)).length
    const answer = await account.call(createPolicy, { method: 'POST', body: { policy } })
    expect([answer.status, answer.body.errors]).toEqual([422, { base: ['is too large to be stored'] }])
    expect((await commitsOf(account.id)).length).toBe(before)
  })
})

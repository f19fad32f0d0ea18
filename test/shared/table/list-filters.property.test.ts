import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newAccount } from '#test/support/accounts/account.ts'
import { resourcesApi, sitesApi } from '#test/support/accounts/collections.ts'

/** Compares filtered lists with an in-memory array after the same changes (A7.3, A8.1). */

type Resource = Record<'id' | 'name' | 'type' | 'address' | 'ip_stack' | 'site_id', string | null>

const name = fc.constantFrom('Wiki', 'wiki', 'Build server', '#')
const kind = fc.constantFrom(
  { type: 'dns', address: 'wiki.example.com' },
  { type: 'dns', address: 'WIKI.example.com', ip_stack: 'ipv4_only' },
  { type: 'ip', address: '192.0.2.1' },
  { type: 'ip', address: '2001:DB8::1' },
  { type: 'cidr', address: '192.0.2.1/24' },
)
const site = fc.nat(1)
const fields = fc.record({ name, kind, site })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), fields }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('update' as const), fields, at: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(99) }) },
)
const filter = fc.record(
  {
    name,
    type: fc.constantFrom('dns', 'ip', 'cidr', 'static_device_pool'),
    address: fc.constantFrom('wiki.example.com', '192.0.2.1', '2001:db8::1', '192.0.2.0/24', '192.0.2.1/24'),
    ip_stack: fc.constantFrom('dual', 'ipv4_only', 'ipv6_only'),
    site_id: site,
  },
  { requiredKeys: [] },
)

it('lists exactly the rows that match every filter, in order, after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 20 }),
      fc.array(filter, { minLength: 8, maxLength: 12 }),
      async (steps, filters) => {
        const account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
        const sites: string[] = []
        for (const site of ['Berlin', 'Paris'])
          sites.push((await sitesApi.create(account, { name: site })).body.data.id)
        let rows: Resource[] = (await resourcesApi.list(account)).body.data
        const own = () => rows.filter(({ type }) => type !== 'internet')
        for (const change of steps) {
          const input = 'fields' in change && {
            name: change.fields.name,
            ...change.fields.kind,
            site_id: sites[change.fields.site],
          }
          if (change.do === 'create') {
            rows = [...rows, (await resourcesApi.create(account, input)).body.data]
            continue
          }
          const target = own().at(change.at % Math.max(1, own().length))
          if (!target?.id) continue
          if (change.do === 'remove') {
            await resourcesApi.remove(account, target.id)
            rows = rows.filter(({ id }) => id !== target.id)
          } else {
            const { status, body } = await resourcesApi.update(account, target.id, input)
            expect(status).toBe(200)
            rows = rows.map((row) => (row.id === target.id ? body.data : row))
          }
        }
        for (const { site_id, ...texts } of [{}, ...filters]) {
          const query: Record<string, string> = { ...texts, ...(site_id !== undefined && { site_id: sites[site_id] }) }
          const expected = rows.filter((row) =>
            Object.entries(query).every(([key, value]) => row[key as 'name'] === value),
          )
          const { data, metadata } = (await resourcesApi.list(account, { ...query, limit: '100' })).body
          expect(data, JSON.stringify(query)).toEqual(expected)
          expect([metadata.total, metadata.count]).toEqual([expected.length, expected.length])
        }
      },
    ),
    { numRuns: 5 },
  )
})

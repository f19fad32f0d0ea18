import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler } from '#functions/api/names/list-names.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantGroups } from '#test/support/table/plant-listed.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await newAccessWorld()
})

const names = (query: string, account = world.account) => account.call(handler, { query })
const refusal = 'actors, groups, resources, sites, gateways, clients must have 1 to 100 ids in total.'

describe('GET /names', () => {
  it('returns the names of objects of each collection, in the order of the request (K11.G2)', async () => {
    const { actor, group, resource, site } = world
    const gateway = await world.addGateway()
    const client = (await world.startSession()).body.data.client
    const query = `clients=${client.id}&sites=${site.id}&actors=${actor.id}&gateways=${gateway.id}&resources=${resource.id}&groups=${group.id}`
    const { status, body } = await names(query)
    expect([status, body]).toEqual([
      200,
      {
        data: [
          { object: 'clients', id: client.id, name: client.name },
          { object: 'sites', id: site.id, name: 'Berlin' },
          { object: 'actors', id: actor.id, name: actor.name },
          { object: 'gateways', id: gateway.id, name: gateway.name },
          { object: 'resources', id: resource.id, name: 'Wiki' },
          { object: 'groups', id: group.id, name: 'Engineering' },
        ],
        metadata: { count: 6 },
      },
    ])
  })

  it('omits unknown ids, repetitions, objects of other collections and of other accounts', async () => {
    const other = await newAccount()
    const { actor, group, site } = world
    const ids = [randomUUID(), other.admin.id, site.id, actor.id.toUpperCase(), actor.id]
    const { body } = await names(`actors=${ids.join(',')}&groups=${group.id}&unknown=x`)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([actor.id, group.id])
    expect(body.metadata).toEqual({ count: 2 })
    expect((await names(`actors=${actor.id}`, other)).body).toEqual({ data: [], metadata: { count: 0 } })
  })

  it.each([
    ['', refusal],
    ['limit=1&name=x', refusal],
    ['actors=', 'Invalid value for filter actors.'],
    ['groups=x', 'Invalid value for filter groups.'],
    [`sites=${randomUUID()},`, 'Invalid value for filter sites.'],
    [`sites=${randomUUID()},%20${randomUUID()}`, 'Invalid value for filter sites.'],
    ['clients=65b1f0c2a9e4d3f001234567', 'Invalid value for filter clients.'],
    [`actors=${randomUUID()}&actors=${randomUUID()}`, 'Invalid value for filter actors.'],
    [`gateways[]=${randomUUID()}`, 'Invalid value for filter gateways.'],
    [`actors=${Array.from({ length: 101 }, () => randomUUID()).join(',')}`, refusal],
  ])('refuses ?%s', async (query, detail) => {
    const { status, body } = await names(query)
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
  })

  it('requires the scope of each named collection, checked before the query', async () => {
    const narrow = await withScopes(world.account, 'actors:read', 'groups:write')
    expect((await names(`actors=${world.actor.id}&groups=${world.group.id}`, narrow)).status).toBe(200)
    for (const query of [`actors=${world.actor.id}&sites=${world.site.id}`, 'actors=x&sites=x', 'sites[]=x']) {
      const { status, body } = await names(query, narrow)
      expect([status, body.code, body.required_scope]).toEqual([403, 'insufficient_scope', 'sites:read'])
    }
    expect((await names('', narrow)).status).toBe(400)
    expect((await names(`sites=${world.site.id}`, await withScopes(world.account, '*:read'))).status).toBe(200)
  })

  it('takes a read unit per id and the units of authentication', async () => {
    const groups = await plantGroups(world.account, 100)
    const query = `groups=${groups.map(({ id }) => id).join(',')}`
    await names(query)
    let count = 0
    const { reads } = await measure(async () => {
      count = (await names(query)).body.metadata.count
    })
    expect(count).toBe(100)
    expect(reads).toBeLessThanOrEqual(6 + 100)
  })
})

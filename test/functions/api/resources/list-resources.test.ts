import { beforeAll, describe, expect, it } from 'vitest'
import { resourcesApi } from '#test/support/accounts/collections.ts'
import { newResourceWorld, type ResourceWorld } from '#test/support/accounts/resources.ts'

let world: ResourceWorld
beforeAll(async () => {
  world = await newResourceWorld()
})

describe('GET /resources (A7)', () => {
  it('includes the Internet Resource and pools, by insertion, with the fields of GET /resources/{id}', async () => {
    const ownWorld = await newResourceWorld()
    const made = await ownWorld.createDns()
    const { data, metadata } = (await resourcesApi.list(ownWorld.account)).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual([ownWorld.internetResource, ownWorld.pool, made.id])
    expect(data[2]).toEqual(made)
    expect(metadata).toEqual({ limit: 50, next_page: null, prev_page: null, total: 3, count: 3 })
  })

  it('filters by name, stored address, type, site and IP stack, and by all combined', async () => {
    const ownWorld = await world.createDns({
      name: 'Sought',
      address: '2001:DB8::7',
      type: 'ip',
      site_id: world.otherSite,
    })
    const found = async (query: Record<string, string>) => {
      const { body } = await resourcesApi.list(world.account, query)
      expect(body.metadata.total).toBe(body.data.length)
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await found({ name: 'Sought' })).toEqual([ownWorld.id])
    expect(await found({ name: 'sought' })).toEqual([])
    expect(await found({ address: '2001:db8::7' })).toEqual([ownWorld.id])
    expect(await found({ address: '2001:DB8::7' })).toEqual([])
    expect(await found({ type: 'ip', site_id: world.otherSite })).toEqual([ownWorld.id])
    expect(await found({ type: 'ip', site_id: world.otherSite, name: 'Sought', address: '2001:db8::7' })).toEqual([
      ownWorld.id,
    ])
    expect(await found({ type: 'cidr', name: 'Sought' })).toEqual([])
    expect(await found({ ip_stack: 'dual', name: 'Sought' })).toEqual([])
    expect(await found({ name: '' })).toEqual([])
  })

  it.each(['type=internet', 'type=', 'site_id=x', 'site_id=', 'ip_stack=both', 'ip_stack='])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await resourcesApi.list(world.account, query)
      const name = query.split('=')[0]
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', `Invalid value for filter ${name}.`])
    },
  )
})

import { beforeAll, describe, expect, it } from 'vitest'
import { newResourceWorld, type ResourceWorld } from '#test/support/accounts/resources.ts'

let world: ResourceWorld
beforeAll(async () => {
  world = await newResourceWorld()
})

describe('GET /resources/{id} (A18.1)', () => {
  it('returns every field, with filters in their stored form', async () => {
    const filters = [{ protocol: 'tcp', ports: ['80-90', 443] }, { protocol: 'icmp' }]
    const { id } = await world.createDns({ filters, address_description: 'the wiki', ip_stack: 'ipv6_only' })
    const { status, body } = await world.get(id.toUpperCase())
    expect([status, body.data]).toEqual([
      200,
      {
        id,
        name: 'Wiki',
        type: 'dns',
        address: 'wiki.example.com',
        address_description: 'the wiki',
        filters: [
          { protocol: 'tcp', ports: ['80 - 90', '443'] },
          { protocol: 'icmp', ports: [] },
        ],
        ip_stack: 'ipv6_only',
        site_id: world.site,
      },
    ])
  })

  it('returns the Internet Resource and a pool, which have no address', async () => {
    expect((await world.get(world.internetResource)).body.data).toEqual({
      id: world.internetResource,
      name: 'Internet',
      type: 'internet',
      address: null,
      address_description: null,
      filters: [],
      ip_stack: null,
      site_id: world.internetSite,
    })
    expect((await world.get(world.pool)).body.data).toMatchObject({
      type: 'static_device_pool',
      address: null,
      ip_stack: null,
      site_id: null,
    })
  })
})

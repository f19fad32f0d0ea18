import { beforeAll, describe, expect, it } from 'vitest'
import { newResourceWorld, type ResourceWorld } from '#test/support/accounts/resources.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { withTitles } from '#test/support/run/titles.ts'

type Fields = Record<string, unknown>

let world: ResourceWorld
beforeAll(async () => {
  world = await newResourceWorld()
})

describe('PATCH /resources/{id} (A18)', () => {
  it('changes only the sent fields, and nothing for an empty object', async () => {
    const resource = await world.createDns({
      filters: [{ protocol: 'tcp', ports: ['80'] }],
      address_description: 'the wiki',
    })
    expect((await world.update(resource.id, {})).body.data).toEqual(resource)
    expect((await world.update(resource.id, { name: 'Handbook' })).body.data).toEqual({ ...resource, name: 'Handbook' })
    const cleared = await world.update(resource.id, { filters: [], address_description: '' })
    expect(cleared.body.data).toEqual({ ...resource, name: 'Handbook', filters: [], address_description: null })
  })

  it('moves a resource to another site', async () => {
    const { id } = await world.createDns()
    expect((await world.update(id, { site_id: world.otherSite })).body.data.site_id).toBe(world.otherSite)
    expect((await world.update(id, { site_id: world.internetSite })).body.errors).toEqual({
      site_id: ['cannot be the Internet Site'],
    })
  })

  it('validates the stored address for a new type, and adapts the IP stack', async () => {
    const { id } = await world.createDns({ ip_stack: 'ipv4_only' })
    expect((await world.update(id, { type: 'ip' })).body.errors).toEqual({ address: [mustBe.resourceIp] })
    const ip = await world.update(id, { type: 'ip', address: '192.0.2.9' })
    expect(ip.body.data).toMatchObject({ type: 'ip', address: '192.0.2.9', ip_stack: null })
    const dnsAgain = await world.update(id, { type: 'dns', address: 'again.example.com' })
    expect(dnsAgain.body.data.ip_stack).toBe('dual')
    expect((await world.update(id, { ip_stack: null })).body.errors).toEqual({ ip_stack: ["can't be blank"] })
    expect((await world.update(id, { type: 'cidr', address: '10.0.0.0/8', ip_stack: 'dual' })).body.errors).toEqual({
      ip_stack: ['is supported only for DNS resources'],
    })
  })

  it('refuses to change the type to a pool or the Internet', async () => {
    const { id } = await world.createDns()
    expect((await world.update(id, { type: 'static_device_pool' })).body.errors).toEqual({
      type: ['device pools cannot be created through the API'],
    })
    expect((await world.update(id, { type: 'internet' })).body.errors).toEqual({
      site_id: ['must be the Internet Site'],
    })
    expect((await world.update(id, { type: 'internet', site_id: world.internetSite })).body.errors).toEqual({
      type: ['an Internet Resource already exists'],
    })
    expect((await world.update(id, { type: 'static_device_pool', site_id: world.internetSite })).body.errors).toEqual({
      type: ['device pools cannot be created through the API'],
    })
  })

  it('normalises the stored address for an accepting type, and validates a sent address alone', async () => {
    const { id } = await world.createDns({ type: 'ip', address: '2001:db8::1' })
    expect((await world.update(id, { type: 'cidr' })).body.errors).toEqual({ address: [mustBe.resourceCidr] })
    const block = await world.update(id, { type: 'cidr', address: '2001:DB8::1/64' })
    expect(block.body.data).toMatchObject({ type: 'cidr', address: '2001:db8::/64' })
    expect((await world.update(id, { address: '10.9.8.7/8' })).body.data.address).toBe('10.0.0.0/8')
    expect((await world.update(id, { address: 'wiki.example.com' })).body.errors).toEqual({
      address: [mustBe.resourceCidr],
    })
    const renamed = await world.update(id, { type: 'dns', address: 'intranet', ip_stack: 'ipv6_only' })
    expect(renamed.body.data).toMatchObject({ type: 'dns', address: 'intranet', ip_stack: 'ipv6_only' })
    expect((await world.update(id, { type: 'dns', name: 'Intranet' })).body.data.ip_stack).toBe('ipv6_only')
  })

  it.each<[Fields, Record<string, string[]>]>([
    [{ name: null }, { name: ["can't be blank"] }],
    [{ site_id: null }, { site_id: ["can't be blank"] }],
    [{ address: null }, { address: ["can't be blank"] }],
    [{ type: null }, { type: ["can't be blank"] }],
  ])('refuses null in %j', async (fields, errors) => {
    const { id } = await world.createDns()
    expect((await world.update(id, fields)).body.errors).toEqual(errors)
  })

  it('changes only name, description and filters of a pool', async () => {
    const answer = await world.update(world.pool, {
      name: 'Tablets',
      type: 'static_device_pool',
      filters: [{ protocol: 'udp' }],
      address: 'x.example.com',
      site_id: world.site,
    })
    expect(answer.body.data).toEqual({
      id: world.pool,
      name: 'Tablets',
      type: 'static_device_pool',
      address: null,
      address_description: null,
      filters: [{ protocol: 'udp', ports: [] }],
      ip_stack: null,
      site_id: null,
    })
    expect((await world.update(world.pool, { type: 'dns' })).body.errors).toEqual({ type: ['cannot be changed'] })
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [{ site_id: unknownId }, { site_id: ['does not exist'] }],
      [
        { site_id: 'x', ip_stack: 'both' },
        { site_id: [mustBe.uuid], ip_stack: [mustBe.oneOf('ipv4_only', 'ipv6_only', 'dual')] },
      ],
      [{ address: 'example.com:80' }, { address: ['cannot contain a port number'] }],
      [
        { filters: null, address_description: 7 },
        { filters: [mustBe.list], address_description: ['is invalid'] },
      ],
      [
        { filters: [{ protocol: 'tcp', ports: ['9-8'] }] },
        { 'filters.0.ports': ['lower port cannot exceed upper port'] },
      ],
    ]),
  )('refuses %s, and keeps the resource', async (_name, fields, errors) => {
    const resource = await world.createDns()
    const answer = await world.update(resource.id, fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect((await world.get(resource.id)).body.data).toEqual(resource)
  })

  it('refuses every change of the Internet Resource', async () => {
    for (const fields of [{}, { name: '' }]) {
      const answer = await world.update(world.internetResource, fields)
      expect([answer.status, answer.body.code]).toEqual([403, 'internet_resource'])
    }
  })
})

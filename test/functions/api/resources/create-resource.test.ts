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

describe('POST /resources (A18)', () => {
  it('creates a resource with its defaults', async () => {
    const answer = await world.create(world.dns({ name: '  Wiki  ', address: ' Wiki.Example.com ' }))
    const { id } = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/resources/${id}`])
    expect(answer.body).toEqual({
      data: {
        id,
        name: 'Wiki',
        type: 'dns',
        address: 'Wiki.Example.com',
        address_description: null,
        filters: [],
        ip_stack: 'dual',
        site_id: world.site,
      },
    })
    expect((await world.get(id)).body).toEqual(answer.body)
  })

  it('reports the missing fields of an empty object, and validates the address only with a valid type', async () => {
    expect((await world.create({})).body.errors).toEqual({
      name: ["can't be blank"],
      type: ["can't be blank"],
      site_id: ["can't be blank"],
    })
    expect((await world.create(world.dns({ address: undefined }))).body.errors).toEqual({ address: ["can't be blank"] })
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{ name: '' }, { name: ["can't be blank"] }],
      [{ name: 7 }, { name: ['is invalid'] }],
      [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [{ type: 'tcp' }, { type: [mustBe.oneOf('cidr', 'ip', 'dns', 'internet', 'static_device_pool')] }],
      [{ site_id: 'nonsense' }, { site_id: [mustBe.uuid] }],
      [{ site_id: unknownId }, { site_id: ['does not exist'] }],
      [{ address: '' }, { address: ["can't be blank"] }],
      [{ address: 5 }, { address: ['is invalid'] }],
      [{ address: 'x'.repeat(254) }, { address: ['should be at most 253 character(s)'] }],
      [{ address: 'example.com:80' }, { address: ['cannot contain a port number'] }],
      [{ address: '1.1.1.1' }, { address: ['is an IP address, use a resource of type ip or cidr'] }],
      [{ address: 'foo..bar' }, { address: [mustBe.resourceName] }],
      [{ address: '*.*' }, { address: ['cannot have a wildcard in the top-level domain'] }],
      [{ address: 'app.localhost' }, { address: ['cannot be in the localhost domain'] }],
      [{ address: '*.com' }, { address: ['needs a label that is not a wildcard'] }],
      [{ type: 'cidr', address: '10.0.0.1' }, { address: [mustBe.resourceCidr] }],
      [
        { type: 'cidr', address: '0.0.0.0/0' },
        { address: ['cannot contain all addresses, use the Internet Resource'] },
      ],
      [{ type: 'cidr', address: '127.0.0.0/16' }, { address: ['cannot contain loopback addresses'] }],
      [{ type: 'cidr', address: '100.64.1.0/24' }, { address: ['cannot be in 100.64.0.0/10'] }],
      [{ type: 'ip', address: '10.0.0.0/8' }, { address: [mustBe.resourceIp] }],
      [{ type: 'ip', address: '0.0.0.0' }, { address: ['cannot be the unspecified address'] }],
      [{ type: 'ip', address: '[2600::1' }, { address: ['has mismatched brackets'] }],
      [{ type: 'ip', address: 'fd00:2021:1111::5' }, { address: ['cannot be in fd00:2021:1111::/48'] }],
      [{ address_description: 'x'.repeat(256) }, { address_description: ['should be at most 255 character(s)'] }],
      [{ ip_stack: 'both' }, { ip_stack: [mustBe.oneOf('ipv4_only', 'ipv6_only', 'dual')] }],
      [{ type: 'ip', address: '192.0.2.1', ip_stack: 'dual' }, { ip_stack: ['is supported only for DNS resources'] }],
      [{ filters: null }, { filters: [mustBe.list] }],
      [{ filters: [{}] }, { 'filters.0.protocol': ["can't be blank"] }],
      [{ filters: [{ protocol: 'sctp' }] }, { 'filters.0.protocol': [mustBe.oneOf('tcp', 'udp', 'icmp')] }],
      [{ filters: [7] }, { 'filters.0': [mustBe.object] }],
      [{ filters: [{ protocol: 'tcp', ports: ['0'] }] }, { 'filters.0.ports': [mustBe.port] }],
      [
        { filters: [{ protocol: 'tcp', ports: ['90-80'] }] },
        { 'filters.0.ports': ['lower port cannot exceed upper port'] },
      ],
      [{ filters: [{ protocol: 'tcp', ports: ['80-90', 85] }] }, { 'filters.0.ports': ['ports must not overlap'] }],
      ...['65536', '-1', 'abc', '[80,90]', '', '80-', '-80', '80--90', '1-70000', '8 0', '0x50', 80.5, -1, 0].map(
        (port): [Fields, Record<string, string[]>] => [
          { filters: [{ protocol: 'udp', ports: [port] }] },
          { 'filters.0.ports': [mustBe.port] },
        ],
      ),
      [{ filters: [{ protocol: 'tcp', ports: '80' }] }, { 'filters.0.ports': [mustBe.list] }],
      [{ filters: [{ protocol: 'tcp', ports: [true] }] }, { 'filters.0.ports': [mustBe.port] }],
      [{ filters: [{ protocol: 'tcp', ports: [80, '80'] }] }, { 'filters.0.ports': ['ports must not overlap'] }],
      [
        { filters: [{ protocol: 'tcp', ports: Array.from({ length: 501 }, (_, i) => i + 1) }] },
        { 'filters.0.ports': ['should have at most 500 item(s)'] },
      ],
      [
        { filters: [{ protocol: 'tcp' }, { ports: ['x'] }, { protocol: 'icmp', ports: ['9-1'] }] },
        {
          'filters.1.protocol': ["can't be blank"],
          'filters.1.ports': [mustBe.port],
          'filters.2.ports': ['lower port cannot exceed upper port'],
        },
      ],
      [
        { name: '', address: 'a_b', filters: 7, ip_stack: 1 },
        {
          name: ["can't be blank"],
          address: [mustBe.resourceName],
          filters: [mustBe.list],
          ip_stack: [mustBe.oneOf('ipv4_only', 'ipv6_only', 'dual')],
        },
      ],
      [
        { filters: Array.from({ length: 101 }, () => ({ protocol: 'tcp' })) },
        { filters: ['should have at most 100 item(s)'] },
      ],
    ]),
  )('refuses %s', async (_name, fields, errors) => {
    const answer = await world.create(world.dns(fields))
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it.each([
    ['cidr', '192.168.1.1/24', '192.168.1.0/24'],
    ['cidr', '2607:f8b0:4012:0::200e/128', '2607:f8b0:4012::200e/128'],
    ['ip', '2001:DB8:0:0::1', '2001:db8::1'],
    ['ip', '192.0.2.1', '192.0.2.1'],
  ])('normalises a %s address %s', async (type, address, normal) => {
    expect((await world.create(world.dns({ type, address }))).body.data).toMatchObject({
      address: normal,
      ip_stack: null,
    })
  })

  it('stores ports in one form and keeps their order', async () => {
    const ports = ['443', 80, '1000-2000', '3000 - 3001', '5-5', '65535', ' 7 ', '8\t-  9']
    const { filters } = await world.createDns({
      filters: [
        { protocol: 'tcp', ports },
        { protocol: 'icmp', ports: ['1'] },
        // Repeats a protocol and a port of another filter. Adjacent ports do not overlap.
        { protocol: 'tcp', ports: ['443', '444-445', '446'] },
        { protocol: 'udp' },
      ],
    })
    expect(filters).toEqual([
      { protocol: 'tcp', ports: ['443', '80', '1000 - 2000', '3000 - 3001', '5', '65535', '7', '8 - 9'] },
      { protocol: 'icmp', ports: ['1'] },
      { protocol: 'tcp', ports: ['443', '444 - 445', '446'] },
      { protocol: 'udp', ports: [] },
    ])
  })

  it.each<[Fields, string, Record<string, string[]>]>([
    [{ type: 'static_device_pool' }, 'site', { type: ['device pools cannot be created through the API'] }],
    [{ type: 'internet' }, 'site', { site_id: ['must be the Internet Site'] }],
    [{ type: 'internet' }, 'internet', { type: ['an Internet Resource already exists'] }],
    [{}, 'internet', { site_id: ['cannot be the Internet Site'] }],
  ])('refuses the type and site %j in the %s site (A18.3)', async (fields, where, errors) => {
    const answer = await world.create(
      world.dns({ ...fields, site_id: where === 'internet' ? world.internetSite : world.site }),
    )
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('treats a null IP stack as the default', async () => {
    expect((await world.createDns({ ip_stack: null })).ip_stack).toBe('dual')
  })
})

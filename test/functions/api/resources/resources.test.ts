import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createResource } from '#functions/api/resources/create-resource.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as getResource } from '#functions/api/resources/get-resource.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { newAccount } from '#test/support/account.ts'

type Fields = Record<string, unknown>

let account: Awaited<ReturnType<typeof newAccount>>
let site: string
let otherSite: string
let internetSite: string
let internetResource: string
let pool: string

beforeAll(async () => {
  account = await newAccount()
  const newSite = async (name: string) =>
    (await account.call(createSite, { method: 'POST', body: { site: { name } } })).body.data.id
  site = await newSite('Berlin')
  otherSite = await newSite('Paris')
  internetSite = (await account.call(listSites, { query: { name: 'Internet' } })).body.data[0].id
  internetResource = (await account.call(listResources, { query: { name: 'Internet' } })).body.data[0].id
  const made = await provision({
    operation: 'create_static_device_pool',
    account_id: account.id,
    resource: { name: 'Pool' },
  })
  pool = (made as { data: { resource: { id: string } } }).data.resource.id
})

const dns = (fields: Fields = {}): Fields => ({
  name: 'Wiki',
  type: 'dns',
  site_id: site,
  address: 'wiki.example.com',
  ...fields,
})
const create = (resource: Fields) => account.call(createResource, { method: 'POST', body: { resource } })
const made = async (fields: Fields = {}) => (await create(dns(fields))).body.data
const update = (id: string, resource: Fields) =>
  account.call(updateResource, { method: 'PATCH', params: { id }, body: { resource } })
const get = (id: string) => account.call(getResource, { params: { id } })

describe('POST /resources', () => {
  it('creates a resource with its defaults', async () => {
    const answer = await create(dns({ name: '  Wiki  ', address: ' Wiki.Example.com ' }))
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
        site_id: site,
      },
    })
    expect((await get(id)).body).toEqual(answer.body)
  })

  it('says what an empty object lacks; the address is tested once the type is known', async () => {
    expect((await create({})).body.errors).toEqual({
      name: ["can't be blank"],
      type: ["can't be blank"],
      site_id: ["can't be blank"],
    })
    expect((await create(dns({ address: undefined }))).body.errors).toEqual({ address: ["can't be blank"] })
  })

  const unknown = '0198a000-0000-7000-8000-000000000000'
  it.each<[Fields, Record<string, string[]>]>([
    [{ name: '' }, { name: ["can't be blank"] }],
    [{ name: 7 }, { name: ['is invalid'] }],
    [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
    [{ type: 'tcp' }, { type: ['is invalid'] }],
    [{ site_id: 'nonsense' }, { site_id: ['is invalid'] }],
    [{ site_id: unknown }, { site_id: ['does not exist'] }],
    [{ address: '' }, { address: ["can't be blank"] }],
    [{ address: 5 }, { address: ['is invalid'] }],
    [{ address: 'x'.repeat(254) }, { address: ['should be at most 253 character(s)'] }],
    [{ address: 'example.com:80' }, { address: ['cannot contain a port number'] }],
    [{ address: '1.1.1.1' }, { address: ['is an IP address, use a resource of type ip or cidr'] }],
    [{ address: 'foo..bar' }, { address: ['is not a valid DNS name'] }],
    [{ address: '*.*' }, { address: ['cannot have a wildcard in the top-level domain'] }],
    [{ address: 'app.localhost' }, { address: ['cannot be in the localhost domain'] }],
    [{ address: '*.com' }, { address: ['needs a label that is not a wildcard'] }],
    [{ type: 'cidr', address: '10.0.0.1' }, { address: ['is not a valid CIDR range'] }],
    [{ type: 'cidr', address: '0.0.0.0/0' }, { address: ['cannot contain all addresses, use the Internet Resource'] }],
    [{ type: 'cidr', address: '127.0.0.0/16' }, { address: ['cannot contain loopback addresses'] }],
    [{ type: 'cidr', address: '100.64.1.0/24' }, { address: ['cannot be in 100.64.0.0/10'] }],
    [{ type: 'ip', address: '10.0.0.0/8' }, { address: ['is not a valid IP address'] }],
    [{ type: 'ip', address: '0.0.0.0' }, { address: ['cannot stand for all addresses'] }],
    [{ type: 'ip', address: '[2600::1' }, { address: ['has mismatched brackets'] }],
    [{ type: 'ip', address: 'fd00:2021:1111::5' }, { address: ['cannot be in fd00:2021:1111::/48'] }],
    [{ address_description: 'x'.repeat(256) }, { address_description: ['should be at most 255 character(s)'] }],
    [{ ip_stack: 'both' }, { ip_stack: ['is invalid'] }],
    [{ type: 'ip', address: '192.0.2.1', ip_stack: 'dual' }, { ip_stack: ['is supported only for DNS resources'] }],
    [{ filters: null }, { filters: ['is invalid'] }],
    [{ filters: [{}] }, { 'filters.0.protocol': ["can't be blank"] }],
    [{ filters: [{ protocol: 'sctp' }] }, { 'filters.0.protocol': ['is invalid'] }],
    [{ filters: [7] }, { 'filters.0': ['is invalid'] }],
    [{ filters: [{ protocol: 'tcp', ports: ['0'] }] }, { 'filters.0.ports': ['must be between 1 and 65535'] }],
    [
      { filters: [{ protocol: 'tcp', ports: ['90-80'] }] },
      { 'filters.0.ports': ['lower port cannot exceed upper port'] },
    ],
    [{ filters: [{ protocol: 'tcp', ports: ['80-90', 85] }] }, { 'filters.0.ports': ['ports must not overlap'] }],
    ...['65536', '-1', 'abc', '[80,90]', '', '80-', '-80', '80--90', '1-70000', '8 0', '0x50', 80.5, -1, 0].map(
      (port): [Fields, Record<string, string[]>] => [
        { filters: [{ protocol: 'udp', ports: [port] }] },
        { 'filters.0.ports': ['must be between 1 and 65535'] },
      ],
    ),
    [{ filters: [{ protocol: 'tcp', ports: '80' }] }, { 'filters.0.ports': ['is invalid'] }],
    [{ filters: [{ protocol: 'tcp', ports: [true] }] }, { 'filters.0.ports': ['is invalid'] }],
    [{ filters: [{ protocol: 'tcp', ports: [80, '80'] }] }, { 'filters.0.ports': ['ports must not overlap'] }],
    [
      { filters: [{ protocol: 'tcp', ports: Array.from({ length: 501 }, (_, i) => i + 1) }] },
      { 'filters.0.ports': ['should have at most 500 item(s)'] },
    ],
    [
      { filters: [{ protocol: 'tcp' }, { ports: ['x'] }, { protocol: 'icmp', ports: ['9-1'] }] },
      {
        'filters.1.protocol': ["can't be blank"],
        'filters.1.ports': ['must be between 1 and 65535'],
        'filters.2.ports': ['lower port cannot exceed upper port'],
      },
    ],
    [
      { name: '', address: 'a_b', filters: 7, ip_stack: 1 },
      {
        name: ["can't be blank"],
        address: ['is not a valid DNS name'],
        filters: ['is invalid'],
        ip_stack: ['is invalid'],
      },
    ],
    [
      { filters: Array.from({ length: 101 }, () => ({ protocol: 'tcp' })) },
      { filters: ['should have at most 100 item(s)'] },
    ],
  ])('refuses %j', async (fields, errors) => {
    const answer = await create(dns(fields))
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it.each([
    ['cidr', '192.168.1.1/24', '192.168.1.0/24'],
    ['cidr', '2607:f8b0:4012:0::200e/128', '2607:f8b0:4012::200e/128'],
    ['ip', '2001:DB8:0:0::1', '2001:db8::1'],
    ['ip', '192.0.2.1', '192.0.2.1'],
  ])('normalises a %s address %s', async (type, address, normal) => {
    expect((await create(dns({ type, address }))).body.data).toMatchObject({ address: normal, ip_stack: null })
  })

  it('stores ports in one form and keeps their order', async () => {
    const ports = ['443', 80, '1000-2000', '3000 - 3001', '5-5', '65535', ' 7 ', '8\t-  9']
    const { filters } = await made({
      filters: [
        { protocol: 'tcp', ports },
        { protocol: 'icmp', ports: ['1'] },
        // A protocol can appear again, and with ports that another filter has; adjacent ones do not overlap.
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
    const answer = await create(dns({ ...fields, site_id: where === 'internet' ? internetSite : site }))
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('takes null for the IP stack as its default', async () => {
    expect((await made({ ip_stack: null })).ip_stack).toBe('dual')
  })
})

describe('PATCH /resources/{id}', () => {
  it('changes only what is sent, and nothing for an empty object', async () => {
    const resource = await made({ filters: [{ protocol: 'tcp', ports: ['80'] }], address_description: 'the wiki' })
    expect((await update(resource.id, {})).body.data).toEqual(resource)
    expect((await update(resource.id, { name: 'Handbook' })).body.data).toEqual({ ...resource, name: 'Handbook' })
    const cleared = await update(resource.id, { filters: [], address_description: '' })
    expect(cleared.body.data).toEqual({ ...resource, name: 'Handbook', filters: [], address_description: null })
  })

  it('moves it to another site', async () => {
    const { id } = await made()
    expect((await update(id, { site_id: otherSite })).body.data.site_id).toBe(otherSite)
    expect((await update(id, { site_id: internetSite })).body.errors).toEqual({
      site_id: ['cannot be the Internet Site'],
    })
  })

  it('validates the stored address for a new type, and the IP stack follows', async () => {
    const { id } = await made({ ip_stack: 'ipv4_only' })
    expect((await update(id, { type: 'ip' })).body.errors).toEqual({ address: ['is not a valid IP address'] })
    const ip = await update(id, { type: 'ip', address: '192.0.2.9' })
    expect(ip.body.data).toMatchObject({ type: 'ip', address: '192.0.2.9', ip_stack: null })
    const dnsAgain = await update(id, { type: 'dns', address: 'again.example.com' })
    expect(dnsAgain.body.data.ip_stack).toBe('dual')
    expect((await update(id, { ip_stack: null })).body.errors).toEqual({ ip_stack: ["can't be blank"] })
    expect((await update(id, { type: 'cidr', address: '10.0.0.0/8', ip_stack: 'dual' })).body.errors).toEqual({
      ip_stack: ['is supported only for DNS resources'],
    })
  })

  it('cannot make it a pool or the Internet', async () => {
    const { id } = await made()
    expect((await update(id, { type: 'static_device_pool' })).body.errors).toEqual({
      type: ['device pools cannot be created through the API'],
    })
    expect((await update(id, { type: 'internet' })).body.errors).toEqual({ site_id: ['must be the Internet Site'] })
    expect((await update(id, { type: 'internet', site_id: internetSite })).body.errors).toEqual({
      type: ['an Internet Resource already exists'],
    })
    expect((await update(id, { type: 'static_device_pool', site_id: internetSite })).body.errors).toEqual({
      type: ['device pools cannot be created through the API'],
    })
  })

  it('normalises the stored address for a type that takes it, and tests a sent one alone', async () => {
    const { id } = await made({ type: 'ip', address: '2001:db8::1' })
    expect((await update(id, { type: 'cidr' })).body.errors).toEqual({ address: ['is not a valid CIDR range'] })
    const block = await update(id, { type: 'cidr', address: '2001:DB8::1/64' })
    expect(block.body.data).toMatchObject({ type: 'cidr', address: '2001:db8::/64' })
    expect((await update(id, { address: '10.9.8.7/8' })).body.data.address).toBe('10.0.0.0/8')
    expect((await update(id, { address: 'wiki.example.com' })).body.errors).toEqual({
      address: ['is not a valid CIDR range'],
    })
    const named = await update(id, { type: 'dns', address: 'intranet', ip_stack: 'ipv6_only' })
    expect(named.body.data).toMatchObject({ type: 'dns', address: 'intranet', ip_stack: 'ipv6_only' })
    expect((await update(id, { type: 'dns', name: 'Intranet' })).body.data.ip_stack).toBe('ipv6_only')
  })

  it.each<[Fields, Record<string, string[]>]>([
    [{ name: null }, { name: ["can't be blank"] }],
    [{ site_id: null }, { site_id: ["can't be blank"] }],
    [{ address: null }, { address: ["can't be blank"] }],
    [{ type: null }, { type: ["can't be blank"] }],
  ])('refuses null in %j', async (fields, errors) => {
    const { id } = await made()
    expect((await update(id, fields)).body.errors).toEqual(errors)
  })

  it('changes name, description and filters of a pool, and nothing else', async () => {
    const answer = await update(pool, {
      name: 'Laptops',
      type: 'static_device_pool',
      filters: [{ protocol: 'udp' }],
      address: 'x.example.com',
      site_id: site,
    })
    expect(answer.body.data).toEqual({
      id: pool,
      name: 'Laptops',
      type: 'static_device_pool',
      address: null,
      address_description: null,
      filters: [{ protocol: 'udp', ports: [] }],
      ip_stack: null,
      site_id: null,
    })
    expect((await update(pool, { type: 'dns' })).body.errors).toEqual({ type: ['is invalid'] })
  })

  it('leaves the Internet Resource alone, whatever is sent', async () => {
    for (const answer of [
      await update(internetResource, {}),
      await update(internetResource, { name: '' }),
      await account.call(deleteResource, { method: 'DELETE', params: { id: internetResource } }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'internet_resource'])
    }
  })
})

describe('DELETE /resources/{id}', () => {
  it('answers the resource, once', async () => {
    const resource = await made()
    const params = { id: resource.id }
    expect((await account.call(deleteResource, { method: 'DELETE', params })).body.data).toEqual(resource)
    expect((await account.call(deleteResource, { method: 'DELETE', params })).status).toBe(404)
    expect((await get(resource.id)).status).toBe(404)
  })

  it('takes a pool', async () => {
    const event = { operation: 'create_static_device_pool', account_id: account.id, resource: { name: 'Short-lived' } }
    const { data } = (await provision(event)) as { data: { resource: { id: string } } }
    const answer = await account.call(deleteResource, { method: 'DELETE', params: { id: data.resource.id } })
    expect(answer.status).toBe(200)
  })
})

describe('GET /resources', () => {
  it('contains the Internet Resource and pools', async () => {
    const types = (await account.call(listResources, { query: { limit: '100' } })).body.data.map(
      ({ type }: { type: string }) => type,
    )
    expect(types).toEqual(expect.arrayContaining(['internet', 'static_device_pool', 'dns']))
  })

  it('filters by name, address in its stored form, type, site and IP stack, and by all of them', async () => {
    const own = await made({ name: 'Sought', address: '2001:DB8::7', type: 'ip', site_id: otherSite })
    const found = async (query: Record<string, string>) => {
      const { body } = await account.call(listResources, { query })
      expect(body.metadata.total).toBe(body.data.length)
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await found({ name: 'Sought' })).toEqual([own.id])
    expect(await found({ name: 'sought' })).toEqual([])
    expect(await found({ address: '2001:db8::7' })).toEqual([own.id])
    expect(await found({ address: '2001:DB8::7' })).toEqual([])
    expect(await found({ type: 'ip', site_id: otherSite })).toEqual([own.id])
    expect(await found({ type: 'ip', site_id: otherSite, name: 'Sought', address: '2001:db8::7' })).toEqual([own.id])
    expect(await found({ type: 'cidr', name: 'Sought' })).toEqual([])
    expect(await found({ ip_stack: 'dual', name: 'Sought' })).toEqual([])
    expect(await found({ name: '' })).toEqual([])
  })

  it.each(['type=internet', 'type=', 'site_id=x', 'site_id=', 'ip_stack=both', 'ip_stack='])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await account.call(listResources, { query })
      const name = query.split('=')[0]
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', `Invalid value for filter ${name}.`])
    },
  )
})

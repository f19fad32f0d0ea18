import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/api/search/search-objects.ts'
import { handler as indexNames } from '#functions/tasks/index-names.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { completeIndexKey, writeNames } from '#shared/domain/names/name-index.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { removeItem } from '#shared/table/put-item.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { actorsApi, groupsApi, postureProvidersApi } from '#test/support/accounts/collections.ts'
import { hostFields } from '#test/support/accounts/row-fields.ts'
import { insertRow } from '#test/support/accounts/rows.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { matchesSearch, rankOfName, searchAlphabet } from '#test/support/operations/search-model.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await newAccessWorld()
  await actorsApi.create(world.account, { name: 'Uma User', type: 'account_user', email: 'uma@example.com' })
  await writeChangeLogOf(world.account.id)
})

type Hit = { object: string; id: string; name: string; matched: string; value: string }
const search = (query: Record<string, string> | string, account: Account = world.account) =>
  account.call(handler, { query })
const hits = async (q: string, account?: Account): Promise<Hit[]> => (await search({ q }, account)).body.data

describe('GET /search', () => {
  it('finds an object by the beginnings of words of one value (K11.G3)', async () => {
    const { status, body } = await search({ q: 'exam uma@' })
    const [hit] = body.data
    expect([status, body]).toEqual([
      200,
      {
        data: [{ object: 'actors', id: hit.id, name: 'Uma User', matched: 'email', value: 'uma@example.com' }],
        metadata: { count: 1, truncated: false, indexed: true },
      },
    ])
    expect(await hits('USER úm')).toEqual([{ ...hit, matched: 'name', value: 'Uma User' }])
    // No value contains both words.
    expect(await hits('user example')).toEqual([])
  })

  it('finds every kind of object by each searched field', async () => {
    const { account } = world
    const directory = (
      await directoriesApi.suite.create(account, { name: 'Zeppelin staff', domain: 'zeppelin.example' })
    ).body.data
    const idp = (
      await directoriesApi.idp.create(account, { name: 'Zeppelin idp', idp_domain: 'login.zeppelin.example' })
    ).body.data
    const tenant = (await directoriesApi.tenant.create(account, { name: 'Zeppelin tenant' })).body.data
    const posture = (await postureProvidersApi.create(account, mdmFields({ name: 'Zeppelin fleet' }))).body.data
    const provider = (await providers.tenant.create(account, { name: 'Zeppelin login' })).body.data
    const gateway = await world.addGateway()
    const client = (
      await world.startSession({ device_serial: 'ZX-81/Q', hostname: 'Zeppelin.local', svc_id: 'other-laptop' })
    ).body.data.client
    const resource = await world.addResource({ name: 'Docs', address: 'docs.zeppelin.example' })
    await writeChangeLogOf(account.id)
    const found = (await hits('zeppelin')).map(({ object, id, matched }) => [object, id, matched])
    expect(found).toEqual([
      ['idp_directories', idp.id, 'name'],
      ['mdm_posture_providers', posture.id, 'name'],
      ['suite_directories', directory.id, 'name'],
      ['tenant_auth_providers', provider.id, 'name'],
      ['tenant_directories', tenant.id, 'name'],
      ['clients', client.id, 'hostname'],
      ['resources', resource.id, 'address'],
    ])
    const valuesOf = async (q: string) => (await hits(q)).map(({ id, matched, value }) => [id, matched, value])
    expect(await valuesOf('81/q')).toEqual([[client.id, 'device_serial', 'ZX-81/Q']])
    expect(await valuesOf(gateway.ipv4)).toEqual([[gateway.id, 'ipv4', gateway.ipv4]])
    expect(await valuesOf(client.ipv6.toUpperCase())).toEqual([[client.id, 'ipv6', client.ipv6]])
    expect(await valuesOf('login.zepp')).toEqual([[idp.id, 'idp_domain', 'login.zeppelin.example']])
    expect(await valuesOf('berlin')).toEqual([[world.site.id, 'name', 'Berlin']])
    expect((await valuesOf('sync@example')).map(([id]) => id)).toContain(directory.id)
    expect((await valuesOf('company')).map(([, matched]) => matched)).toContain('subdomain')
  })

  it('orders equal names first, then names with the searched beginning, then others by collection and id', async () => {
    const own = await newAccount()
    const ids: Record<string, string> = {}
    for (const name of ['New Ops', 'ops', 'Ops team', 'Opsgenie', 'ÓPS'])
      ids[name] = (await groupsApi.create(own, { name })).body.data.id
    const actor = await actorsApi.create(own, { name: 'Zed', type: 'account_user', email: 'ops@example.com' })
    await writeChangeLogOf(own.id)
    expect((await hits('ops', own)).map(({ id }) => id)).toEqual([
      ids.ops,
      ids.ÓPS,
      ids['Ops team'],
      ids.Opsgenie,
      actor.body.data.id,
      ids['New Ops'],
    ])
  })

  it('returns names as they are now, and no object that is deleted or no longer matches', async () => {
    const own = await newAccount()
    const [kept, renamed, deleted] = await Promise.all(
      ['Alpha one', 'Alpha two', 'Alpha three'].map(
        async (name) => (await groupsApi.create(own, { name })).body.data.id as string,
      ),
    )
    await writeChangeLogOf(own.id)
    await groupsApi.update(own, String(kept), { name: 'Alpha 1' })
    await groupsApi.update(own, String(renamed), { name: 'Beta' })
    await groupsApi.remove(own, String(deleted))
    expect((await hits('alpha', own)).map(({ name }) => name)).toEqual(['Alpha 1'])
  })

  it('returns at most 20 hits', async () => {
    const own = await newAccount()
    await plantRows(own.id, groups, 21, (i) => ({ ...nativeGroup, name: `Crowd ${i}` }), [])
    await indexNames({ account_id: own.id })
    const { body } = await search({ q: 'crowd' }, own)
    expect([body.data.length, body.metadata]).toEqual([20, { count: 20, truncated: true, indexed: true }])
    const { body: fewer } = await search({ q: 'crowd 1' }, own)
    expect([fewer.data.length, fewer.metadata.truncated]).toEqual([11, false])
  })

  it('shows only objects of the readable collections, and none of other accounts', async () => {
    const own = await newAccount()
    await groupsApi.create(own, { name: 'Uma fans' })
    await actorsApi.create(own, { name: 'Uma', type: 'account_user', email: 'uma@example.com' })
    await writeChangeLogOf(own.id)
    const narrow = await withScopes(own, 'groups:read', 'logs:read')
    expect((await hits('uma', narrow)).map(({ object }) => object)).toEqual(['groups'])
    expect((await hits('uma', own)).map(({ object }) => object)).toEqual(['actors', 'groups'])
    expect((await hits('uma', await withScopes(own, '*:read'))).length).toBe(2)
    expect((await hits('uma', await withScopes(own, 'actors:write'))).map(({ object }) => object)).toEqual(['actors'])
    const without = await search({ q: 'uma' }, await withScopes(own, 'logs:read'))
    expect([without.status, without.body.data, without.body.metadata.indexed]).toEqual([200, [], true])
    for (const [objects, scope] of [
      ['groups,actors,sites', 'actors:read'],
      ['x,tenant_auth_providers', 'providers:read'],
      ['mdm_posture_providers', 'mdm:read'],
      ['suite_directories', 'directories:read'],
    ] as const) {
      const { status, body } = await search({ q: 'u', objects }, narrow)
      expect([status, body.code, body.required_scope]).toEqual([403, 'insufficient_scope', scope])
    }
    expect((await search('q=uma&objects=groups&objects=actors', narrow)).body.required_scope).toBe('actors:read')
    const { body } = await search({ q: 'uma', objects: 'groups' }, own)
    expect(body.data.map(({ object }: Hit) => object)).toEqual(['groups'])
  })

  const length = 'q must be text of 2 to 64 characters.'
  it.each([
    ['', length],
    ['q=', length],
    ['q=a', length],
    ['q=%20%20a%20%20', length],
    [`q=${'a'.repeat(65)}`, length],
    [`q=${'%F0%9F%98%80'.repeat(65)}`, length],
    ['q=%E2%80%8D%E2%80%8D%CC%81', length],
    ['q=%09%0A%00%20', length],
    ['q=uma&q=uma', 'Invalid value for filter q.'],
    ['q[]=uma', 'Invalid value for filter q.'],
    ['q=uma&objects=', 'Invalid value for filter objects.'],
    ['q=uma&objects=people', 'Invalid value for filter objects.'],
    ['q=uma&objects=actors,', 'Invalid value for filter objects.'],
    ['q=uma&objects=actors,%20groups', 'Invalid value for filter objects.'],
    ['q=uma&objects=constructor', 'Invalid value for filter objects.'],
    ['q=uma&objects=policies', 'Invalid value for filter objects.'],
    ['q=uma&objects=actors&objects=groups', 'Invalid value for filter objects.'],
    ['q=uma&objects[]=actors', 'Invalid value for filter objects.'],
  ])('refuses ?%s', async (query, detail) => {
    const { status, body } = await search(query)
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
  })

  it('accepts 64 characters of any kind', async () => {
    for (const q of [
      'a'.repeat(64),
      '😀'.repeat(64),
      '%_\\"\'{}$#:text0',
      'a b c d e f g h i j k l m n o p q r s t u v w',
      '\ufdfa'.repeat(64),
    ]) {
      const { status, body } = await search({ q })
      expect([status, body.data], q).toEqual([200, []])
    }
    expect((await search('q=%ED%A0%80%ED%A0%80')).status).toBe(200)
  })

  it('leaves the searched words out of the request log', async () => {
    const own = await newAccount()
    await own.call(handler, { query: { q: 'confidential' }, path: '/search' })
    const { body } = await own.call(listLogs, { query: { type: 'api_request' } })
    expect(body.data.some(({ path }: { path: string }) => path === '/search')).toBe(true)
    expect(JSON.stringify(body)).not.toContain('confidential')
  })

  it('returns indexed false before the index of an account is complete', async () => {
    const own = await newAccount()
    await groupsApi.create(own, { name: 'Old group' })
    expect((await search({ q: 'old' }, own)).body).toEqual({
      data: [],
      metadata: { count: 0, truncated: false, indexed: false },
    })
    await indexNames({ account_id: own.id })
    expect((await search({ q: 'old' }, own)).body.metadata).toEqual({ count: 1, truncated: false, indexed: true })
    await removeItem(completeIndexKey(own.id))
    expect((await search({ q: 'old' }, own)).body.metadata.indexed).toBe(false)
  })

  it('finds what the model finds, in its order', async () => {
    const own = await newAccount()
    const name = fc.string({ unit: fc.constantFrom(...searchAlphabet), minLength: 1, maxLength: 14 })
    const names = fc.sample(name, { numRuns: 60, seed: 7 })
    const rows = await plantRows(own.id, groups, names.length, (i) => ({ ...nativeGroup, name: names[i] ?? '' }), [])
    await indexNames({ account_id: own.id })
    const part = fc
      .tuple(fc.constantFrom(...names), fc.nat(12), fc.integer({ min: 2, max: 6 }))
      .map(([of, from, count]) => [...of].slice(from, from + count).join(''))
    const isValid = (q: string) =>
      [...q.trim()].length >= 2 && [...q].some((one) => !/\s/.test(one) && one !== '\u0301' && one !== '\u200d')
    await fc.assert(
      fc.asyncProperty(fc.oneof(part, name).filter(isValid), async (q) => {
        const expected = rows
          .filter((row) => matchesSearch(row.name, q))
          .sort((a, b) => rankOfName(a.name, q) - rankOfName(b.name, q) || (a.id < b.id ? -1 : 1))
          .map(({ id, name: value }) => ({ object: 'groups', id, name: value, matched: 'name', value }))
        const { body } = await search({ q, objects: 'groups' }, own)
        expect(body.data).toEqual(expected.slice(0, 20))
        expect(body.metadata.truncated).toBe(expected.length > 20)
      }),
      { numRuns: 80 },
    )
  })
})

describe('the cost of a search', () => {
  it('is at most 25 read units per 1,000 objects, besides authentication and hits', async () => {
    const own = await newAccount()
    // Has the proportions of the account in the example of the overview (K11.G5).
    const people = {
      type: 'account_user',
      allow_email_otp_sign_in: false,
      created_by_directory_id: null,
      portal_scopes: null,
    } as const
    const emailOf = (i: number) => `katarzyna.nowak-${i}@example.com`
    await plantRows(
      own.id,
      actors,
      320,
      (i) => ({ ...people, name: `Katarzyna Nowak ${i}`, email: emailOf(i), is_disabled: false }),
      [],
    )
    await plantRows(own.id, resources, 190, (i) => hostFields(i, own.id), [])
    await plantRows(
      own.id,
      clients,
      490,
      (i) => ({
        actor_id: own.admin.id,
        name: `quick-katarzyna-${i}`,
        hostname: `laptop-${i}.corp.example.com`,
        device_serial: `C02XK${10_000 + i}`,
        ipv4: `100.64.${i >> 8}.${i & 255}`,
        ipv6: `fd00:2021:1111::${i.toString(16)}`,
        svc_id: `laptop-${i}`,
        verified_at: null,
        device_uuid: null,
        identifier_for_vendor: null,
        push_installation_id: null,
        os_name: null,
        os_version: null,
      }),
      [],
    )
    await indexNames({ account_id: own.id })
    await search({ q: 'katarzyna' }, own)
    const none = await measure(() => search({ q: 'nobody' }, own))
    expect(none.reads).toBeLessThanOrEqual(5 + 25)
    const many = await measure(() => search({ q: 'katarzyna' }, own))
    expect(many.reads).toBeLessThanOrEqual(none.reads + 20)
  })

  it('is at most 2,000 read units, and the answer is truncated beyond', async () => {
    const own = await newAccount()
    const text = `\nfiller ${'x'.repeat(850)}`
    const { pk } = completeIndexKey(own.id)
    const items = Array.from({ length: 17_000 }, (_, i) => ({
      pk: pk.replace(/0$/, String(i % 8)),
      sk: `groups#${String(i).padStart(22, '0')}`,
      kind: 'name',
      commit: 1,
      text,
    }))
    await plantItems(items)
    let answer = await search({ q: 'nobody' }, own)
    const { reads } = await measure(async () => {
      answer = await search({ q: 'nobody' }, own)
    })
    expect(answer.body.metadata.truncated).toBe(true)
    expect(reads).toBeLessThanOrEqual(2_000)
    expect(reads).toBeGreaterThan(1_800)
  })
})

it('an index item of an object that does not exist is never shown', async () => {
  const own = await newAccount()
  const row = await insertRow(own.id, groups, { ...nativeGroup, name: 'Ghost' })
  await writeNames(own.id, [{ object: 'groups', id: row.id, text: '\nghost', commit: 1 }])
  await groupsApi.remove(own, row.id)
  expect(await hits('ghost', own)).toEqual([])
})

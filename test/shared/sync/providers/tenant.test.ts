import { afterEach, beforeEach, expect, it } from 'vitest'
import { after, always, changeBody, halfList, on, times, withoutKey } from '#test/fakes/faults.ts'
import { graphFaults } from '#test/fakes/graph-server.ts'
import { type TenantFake, tenantCompany, tenantFake, tenantGroup, tenantUser } from '#test/fakes/tenant.ts'
import { tenantOf } from '#test/support/sync/fake-directories.ts'
import {
  callsFakes,
  faultOf,
  groupOf,
  person17,
  walkGroups,
  walkMembers,
  walkUsers,
} from '#test/support/sync/read-directory.ts'

callsFakes()

let fake: TenantFake
beforeEach(async () => {
  fake = await tenantFake()
})
afterEach(() => fake.close())

const user = (principalId: string) => ({ principalId, principalType: 'User' }) as const
const group = (principalId: string) => ({ principalId, principalType: 'Group' }) as const

it('reads all users, groups and members of a tenant of 2,200 over all pages', async () => {
  Object.assign(fake.data, tenantCompany(2_200, 4))
  const adapter = tenantOf(fake, { syncAllGroups: true })
  const users = await walkUsers(adapter)
  expect(users.entries.map(({ idp_id }) => idp_id)).toEqual(fake.data.users.map(({ id }) => id))
  expect(users.pages).toBe(3)
  expect(users.entries[17]).toEqual({ idp_id: '00000000-0000-4000-8000-000000000017', ...person17 })
  const groups = await walkGroups(adapter)
  expect(groups.entries.map(({ name }) => name)).toEqual(fake.data.groups.map(({ displayName }) => displayName))
  fake.data.groups.push(
    tenantGroup(
      'all',
      fake.data.users.map(({ id }) => id),
    ),
  )
  const members = await walkMembers(adapter, groupOf('all'))
  expect(members.entries).toEqual(fake.data.users.map(({ id }) => ({ user: id })))
  expect(adapter.issuer).toBe('https://tenants.example.com/1/v2.0')
})

it('complaint 8, #12315, complaint 9, #11470, #11787: by default reads users and groups assigned to its own application, and their members', async () => {
  fake.data.users = ['a', 'b', 'c', 'd'].map((id) => tenantUser(id))
  fake.data.groups = [tenantGroup('g', ['b', 'inner']), tenantGroup('inner', ['c']), tenantGroup('other', ['d'])]
  fake.data.assignments = [
    user('a'),
    { ...user('a'), role: 'second' },
    group('g'),
    { principalId: 'robot', principalType: 'ServicePrincipal' },
  ]
  const adapter = tenantOf(fake)
  const users = await walkUsers(adapter)
  expect(users.entries.map(({ idp_id }) => idp_id)).toEqual(['a'])
  expect(users.skipped).toEqual([{ idp_id: 'robot', name: 'robot', reason: 'not_a_person' }])
  expect((await walkGroups(adapter)).entries.map(({ idp_id }) => idp_id)).toEqual(['g'])
  const { entries } = await walkMembers(adapter, groupOf('g'))
  expect(entries).toMatchObject([
    { user: 'b', profile: { idp_id: 'b', email: 'b@example.com', active: true } },
    { user: 'c', profile: { idp_id: 'c' } },
  ])
})

it('reads 400 assignments, with 15 people per request', async () => {
  fake.data.users = Array.from({ length: 400 }, (_, at) => tenantUser(`u${at}`))
  fake.data.assignments = fake.data.users.map(({ id }) => user(id))
  const { entries, pages } = await walkUsers(tenantOf(fake))
  expect(entries.map(({ idp_id }) => idp_id)).toEqual(fake.data.users.map(({ id }) => id))
  expect(pages).toBe(4)
})

it('Pomerium #2299, Boundary #1378: reads all pages of groups, and every group of a person', async () => {
  fake.data.users = [tenantUser('a')]
  fake.data.groups = Array.from({ length: 1_300 }, (_, at) => tenantGroup(`g${at}`, ['a']))
  const adapter = tenantOf(fake, { syncAllGroups: true })
  expect((await walkGroups(adapter)).entries).toHaveLength(1_300)
})

it('reads the email from the configured field', async () => {
  fake.data.users = [
    tenantUser('a'),
    tenantUser('guest', { userPrincipalName: 'g_x.example#EXT#@tenant.example.com', mail: null, userType: 'Guest' }),
    tenantUser('odd', { userPrincipalName: 'two words@tenant' }),
  ]
  const byName = await walkUsers(tenantOf(fake, { syncAllGroups: true }))
  expect(byName.entries.map(({ email }) => email)).toEqual(['a@example.com', 'g_x.example#EXT#@tenant.example.com'])
  expect(byName.skipped).toEqual([{ idp_id: 'odd', name: 'Person odd', reason: 'invalid_email' }])
  const byMail = await walkUsers(tenantOf(fake, { syncAllGroups: true, emailField: 'mail' }))
  expect(byMail.entries.map(({ email }) => email)).toEqual(['a@mail.example.com', 'odd@mail.example.com'])
  expect(byMail.skipped).toEqual([{ idp_id: 'guest', name: 'Person guest', reason: 'no_email' }])
})

it('complaint 7, #12851: returns disabled users as inactive, assigned directly or by group', async () => {
  fake.data.users = [tenantUser('a', { accountEnabled: false }), tenantUser('b', { accountEnabled: false })]
  fake.data.groups = [tenantGroup('g', ['b'])]
  fake.data.assignments = [user('a'), group('g')]
  const adapter = tenantOf(fake)
  expect((await walkUsers(adapter)).entries).toMatchObject([{ idp_id: 'a', active: false }])
  expect((await walkMembers(adapter, groupOf('g'))).entries).toMatchObject([{ user: 'b', profile: { active: false } }])
})

it('reports a missing permission for members with hidden fields, instead of reading them as disabled', async () => {
  fake.data.users = [tenantUser('b')]
  fake.data.groups = [tenantGroup('g', ['b'])]
  fake.data.assignments = [group('g')]
  fake.data.rights = ['GroupMember.Read.All', 'Application.Read.All']
  expect(await faultOf(tenantOf(fake).members(groupOf('g'), null))).toMatchObject({
    faultClass: 'fatal',
    message: expect.stringContaining('User.Read.All'),
  })
})

it('Pomerium #1050, #1693: names a missing permission', async () => {
  fake.data.rights = []
  expect(await faultOf(tenantOf(fake).users(null))).toMatchObject({
    faultClass: 'fatal',
    message: expect.stringMatching(
      /^GET \/v1\.0\/servicePrincipals.* returned 403 .*User\.Read\.All, GroupMember\.Read\.All/,
    ),
  })
})

it('reports a withdrawn consent as fatal', async () => {
  fake.data.consented = false
  expect(await faultOf(tenantOf(fake).users(null))).toMatchObject({
    faultClass: 'fatal',
    message: expect.stringContaining('its consent was revoked'),
  })
})

it('complaint 2, #8745: renews a token that expires during a list', async () => {
  Object.assign(fake.data, tenantCompany(2_200, 2))
  fake.faults = [after(2, times(1, graphFaults.tokenExpired))]
  expect((await walkUsers(tenantOf(fake, { syncAllGroups: true }))).entries).toHaveLength(2_200)
  expect(fake.issued.size).toBe(2)
})

it('restarts a list shorter than its stated count, and finally rejects it', async () => {
  fake.data.users = Array.from({ length: 40 }, (_, at) => tenantUser(`u${at}`))
  fake.data.groups = [
    tenantGroup(
      'g',
      fake.data.users.map(({ id }) => id),
    ),
  ]
  fake.faults = [on(/transitiveMembers/, halfList('value'))]
  expect(await faultOf(tenantOf(fake, { syncAllGroups: true }).members(groupOf('g'), null))).toMatchObject({
    faultClass: 'position_lost',
    finalClass: 'fatal',
    message: expect.stringContaining('it states 40 entries but lists 20'),
  })
})

it('rejects a page without its list', async () => {
  Object.assign(fake.data, tenantCompany(20, 2))
  fake.faults = [on(/\/users$/, withoutKey('value'))]
  expect(await faultOf(tenantOf(fake, { syncAllGroups: true }).users(null))).toMatchObject({ faultClass: 'fatal' })
})

it('loses its position when a page token has expired, and can restart the list', async () => {
  Object.assign(fake.data, tenantCompany(1_200, 2))
  const adapter = tenantOf(fake, { syncAllGroups: true })
  const { next } = await adapter.users(null)
  fake.links.clear()
  expect(await faultOf(adapter.users(next))).toMatchObject({ faultClass: 'position_lost', finalClass: 'transient' })
  expect((await walkUsers(adapter)).entries).toHaveLength(1_200)
})

it('ignores the host of a page link, and rejects an invalid link', async () => {
  Object.assign(fake.data, tenantCompany(1_200, 2))
  const linked = (link: unknown) =>
    changeBody((body) => (body['@odata.nextLink'] ? { ...body, '@odata.nextLink': link } : body))
  fake.faults = [linked('https://attacker.example.com/v1.0/steal?$skiptoken=1')]
  const adapter = tenantOf(fake, { syncAllGroups: true })
  const { next } = await adapter.users(null)
  await faultOf(adapter.users(next))
  expect(fake.requests.at(-1)).toMatchObject({ path: '/v1.0/steal' })
  fake.faults = [linked(7)]
  expect(await faultOf(adapter.users(null))).toMatchObject({ faultClass: 'fatal' })
})

it('confirms only enabled and assigned users', async () => {
  fake.data.users = ['a', 'b', 'c', 'd'].map((id) => tenantUser(id, { accountEnabled: id !== 'd' }))
  fake.data.groups = [tenantGroup('g', ['inner']), tenantGroup('inner', ['b']), tenantGroup('other', ['c'])]
  fake.data.assignments = [user('a'), group('g'), user('d')]
  const ids = ['a', 'b', 'c', 'd', 'e']
  expect(await tenantOf(fake).confirm(ids)).toEqual(['a', 'b'])
  expect(await tenantOf(fake, { syncAllGroups: true }).confirm(ids)).toEqual(['a', 'b', 'c'])
})

it('follows a page link only on the configured address, regardless of its host (I1.2)', async () => {
  Object.assign(fake.data, tenantCompany(1_200, 1))
  const adapter = tenantOf(fake, { syncAllGroups: true })
  for (const linkOrigin of ['https://elsewhere.example.com', 'https://graph.microsoft.com//elsewhere.example.com']) {
    fake.data.linkOrigin = linkOrigin
    const { next } = await adapter.users(null)
    const before = fake.requests.length
    await adapter.users(next)
    expect(fake.requests.length).toBe(before + 1)
  }
})

it('follows a page link below the path of the configured address', async () => {
  const value = [tenantUser('a')]
  const link = 'https://graph.microsoft.com/v1.0/users?$skiptoken=two'
  fake.faults = [on(/^\/cloud\//, always({ json: { value, '@odata.nextLink': link } }))]
  const adapter = tenantOf(fake, { syncAllGroups: true, apiUrl: `${fake.url}/cloud` })
  const { next } = await adapter.users(null)
  await adapter.users(next).catch(() => undefined)
  const pages = fake.requests.map(({ path, query }) => [path, query.get('$skiptoken')])
  expect(pages.filter(([path]) => path?.endsWith('/users'))).toEqual([
    ['/cloud/v1.0/users', null],
    ['/cloud/v1.0/users', 'two'],
  ])
})

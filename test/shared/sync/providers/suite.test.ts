import { afterEach, beforeEach, expect, it } from 'vitest'
import { after, changeBody, on, times, withoutKey } from '#test/fakes/faults.ts'
import { type SuiteFake, suiteCompany, suiteFake, suiteFaults, suiteGroup, suiteUser } from '#test/fakes/suite.ts'
import { suiteOf } from '#test/support/sync/fake-directories.ts'
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

let fake: SuiteFake
beforeEach(async () => {
  fake = await suiteFake()
})
afterEach(() => fake.close())

const nested = (idp_id: string) => ({ idp_id, nested: true }) as const

it('Tailscale #2560, Boundary #3132: reads users, groups and members of a company of 1,200 over all pages', async () => {
  Object.assign(fake.data, suiteCompany(1_200, 230))
  const adapter = suiteOf(fake)
  const users = await walkUsers(adapter)
  expect(users.entries.map(({ idp_id }) => idp_id)).toEqual(fake.data.users.map(({ id }) => id))
  expect(users.pages).toBe(3)
  expect(users.entries[17]).toEqual({ idp_id: '1000000017', ...person17 })
  const groups = await walkGroups(adapter)
  expect(groups.pages).toBe(2)
  expect(groups.entries.map(({ name, stated_members }) => [name, stated_members])).toEqual(
    fake.data.groups.map(({ name, members }) => [name, members.length]),
  )
  fake.data.groups.push(
    suiteGroup(
      'all',
      fake.data.users.map(({ id }) => ({ id, type: 'USER' })),
    ),
  )
  const members = await walkMembers(adapter, groupOf('all', 1_200))
  expect(members.entries).toEqual(fake.data.users.map(({ id }) => ({ user: id })))
  expect(members.pages).toBe(6)
  expect(fake.issued.size).toBe(1)
})

it('complaint 1, #9188: does not take a response without data for an empty company', async () => {
  Object.assign(fake.data, suiteCompany(600, 2))
  fake.faults = [on(/\/users$/, withoutKey('users'))]
  expect(await faultOf(suiteOf(fake).users(null))).toMatchObject({
    faultClass: 'fatal',
    message: 'GET /admin/directory/v1/users returned invalid data: users is missing.',
  })
  fake.faults = []
  const { next } = await suiteOf(fake).users(null)
  fake.faults = [
    on(
      /\/users$/,
      changeBody(() => ({})),
    ),
  ]
  expect(await faultOf(suiteOf(fake).users(next))).toMatchObject({ faultClass: 'fatal' })
})

it('complaint 2, #8745, Pomerium #2389: renews a token that expires during a list', async () => {
  Object.assign(fake.data, suiteCompany(1_200, 2))
  fake.faults = [after(2, times(1, suiteFaults.tokenExpired))]
  expect((await walkUsers(suiteOf(fake))).entries).toHaveLength(1_200)
  expect(fake.issued.size).toBe(2)
})

it('complaint 3, #12772: skips a nested group of another company without failing', async () => {
  fake.data.users = [suiteUser('1')]
  fake.data.groups = [
    suiteGroup('own', [
      { id: 'foreign', type: 'GROUP' },
      { id: '1', type: 'USER' },
    ]),
    suiteGroup('foreign', [], { isForeign: true }),
  ]
  const adapter = suiteOf(fake)
  expect((await walkGroups(adapter)).entries.map(({ idp_id }) => idp_id)).toEqual(['own'])
  expect((await walkMembers(adapter, groupOf('own', 2))).entries).toEqual([{ group: 'foreign' }, { user: '1' }])
  expect(await faultOf(adapter.members(nested('foreign'), null))).toMatchObject({
    faultClass: 'object_gone',
    reason: 'foreign_group',
  })
  // Expects a fatal fault, because a group that is listed but not readable indicates a missing permission.
  expect(await faultOf(adapter.members(groupOf('foreign'), null))).toMatchObject({ faultClass: 'fatal' })
})

it('complaint 4, #11628: returns direct members and nested groups, and lets the provider resolve none', async () => {
  fake.data.groups = [
    suiteGroup('outer', [{ id: 'inner', type: 'GROUP' }]),
    suiteGroup('inner', [{ id: '1', type: 'USER' }]),
  ]
  const adapter = suiteOf(fake)
  expect((await walkMembers(adapter, groupOf('outer', 1))).entries).toEqual([{ group: 'inner' }])
  expect((await walkMembers(adapter, nested('inner'))).entries).toEqual([{ user: '1' }])
  expect(fake.requests.some(({ query }) => query.has('includeDerivedMembership'))).toBe(false)
})

it('complaint 5, #12444, #12443: skips and counts external members, and returns all users as everyone', async () => {
  fake.data.groups = [
    suiteGroup('mixed', [
      { id: '1', email: 'user1@example.com', type: 'USER' },
      { email: 'guest@other.example.org', type: 'EXTERNAL' },
      { type: 'CUSTOMER' },
    ]),
  ]
  const { entries, skipped } = await walkMembers(suiteOf(fake), groupOf('mixed', 3))
  expect(entries).toEqual([{ user: '1' }, { everyone: true }])
  expect(skipped).toEqual([
    { idp_id: 'guest@other.example.org', name: 'guest@other.example.org', reason: 'foreign_member' },
  ])
})

it('complaint 7, #12851: returns suspended and archived users as inactive', async () => {
  fake.data.users = [suiteUser('1'), suiteUser('2', { suspended: true }), suiteUser('3', { archived: true })]
  const { entries } = await walkUsers(suiteOf(fake))
  expect(entries.map(({ idp_id, active }) => [idp_id, active])).toEqual([
    ['1', true],
    ['2', false],
    ['3', false],
  ])
  expect(fake.requests.every(({ query }) => !query.get('query')?.includes('isSuspended'))).toBe(true)
})

it('complaint 8, #14420: reads all domains of the customer, or only the configured one', async () => {
  fake.data.domains.push('second.example.net')
  fake.data.users = [suiteUser('1'), suiteUser('2', { primaryEmail: 'two@second.example.net' })]
  const idsOf = async (domain: string | null) =>
    (await walkUsers(suiteOf(fake, { domain }))).entries.map(({ idp_id }) => idp_id)
  expect(await idsOf(null)).toEqual(['1', '2'])
  expect(await idsOf('second.example.net')).toEqual(['2'])
  expect(await faultOf(suiteOf(fake, { domain: 'other.example.org' }).users(null))).toMatchObject({
    faultClass: 'fatal',
    message: expect.stringContaining('domain must be a domain of the customer'),
  })
})

it('complaint 8, #8381: filters groups by the configured mode, ignoring case', async () => {
  fake.data.groups = [
    suiteGroup('1', [], { email: 'network-access-one@example.com', name: 'One' }),
    suiteGroup('2', [], { email: 'two@example.com', name: 'Network-Access-Two' }),
    suiteGroup('3', [], { email: 'three@example.com', name: 'My network-access-three' }),
  ]
  const idsOf = async (groupSyncMode: 'all' | 'filtered' | 'disabled') =>
    (await walkGroups(suiteOf(fake, { groupSyncMode }))).entries.map(({ idp_id }) => idp_id)
  expect(await idsOf('all')).toEqual(['1', '2', '3'])
  expect(await idsOf('filtered')).toEqual(['1', '2'])
  expect(await idsOf('disabled')).toEqual([])
})

it('reads organisational units besides groups, with the members of a unit and the units below', async () => {
  fake.data.units = [
    { orgUnitId: 'id:1', orgUnitPath: "/Mary's team", name: "Mary's team" },
    { orgUnitId: 'id:2', orgUnitPath: "/Mary's team/North", name: 'North' },
  ]
  fake.data.users = [
    suiteUser('1', { orgUnitPath: "/Mary's team" }),
    suiteUser('2', { orgUnitPath: "/Mary's team/North" }),
    suiteUser('3', { orgUnitPath: "/Mary's teams" }),
  ]
  fake.data.groups = [suiteGroup('g')]
  for (const groupSyncMode of ['all', 'disabled'] as const) {
    const adapter = suiteOf(fake, { orgunitSyncEnabled: true, groupSyncMode })
    const { entries } = await walkGroups(adapter)
    expect(entries.map(({ idp_id, entity_type }) => [idp_id, entity_type])).toEqual([
      ...(groupSyncMode === 'all' ? [['g', 'group']] : []),
      ['ou:id:1', 'org_unit'],
      ['ou:id:2', 'org_unit'],
    ])
    const unit = { idp_id: 'ou:id:1', entity_type: 'org_unit', stated_members: null } as const
    expect((await walkMembers(adapter, unit)).entries).toEqual([{ user: '1' }, { user: '2' }])
    expect(await faultOf(adapter.members({ ...unit, idp_id: 'ou:id:9' }, null))).toMatchObject({
      faultClass: 'object_gone',
    })
  }
  expect((await walkGroups(suiteOf(fake))).entries).toHaveLength(1)
})

it('requests the scope for organisational units only if they are synced', async () => {
  fake.data.delegated = fake.data.delegated.filter((scope) => !scope.includes('orgunit'))
  fake.data.users = [suiteUser('1')]
  expect((await walkUsers(suiteOf(fake))).entries).toHaveLength(1)
  expect(await faultOf(suiteOf(fake, { orgunitSyncEnabled: true }).users(null))).toMatchObject({
    faultClass: 'fatal',
    message: expect.stringContaining('admin.directory.orgunit.readonly'),
  })
})

it('rejects an empty member list if the group still states members, and accepts it if not', async () => {
  fake.data.groups = [suiteGroup('g', [{ id: '1', type: 'USER' }])]
  fake.faults = [on(/members$/, withoutKey('members'))]
  expect(await faultOf(suiteOf(fake).members(groupOf('g', 1), null))).toMatchObject({
    faultClass: 'fatal',
    message:
      'GET /admin/directory/v1/groups/g/members returned invalid data: the group has members, but none are listed.',
  })
  fake.faults = []
  fake.data.groups = [suiteGroup('g')]
  expect((await walkMembers(suiteOf(fake), groupOf('g', 1))).entries).toEqual([])
  fake.data.groups = []
  expect(await faultOf(suiteOf(fake).members(groupOf('g', 1), null))).toMatchObject({ faultClass: 'object_gone' })
})

it('resumes at a position in another process', async () => {
  Object.assign(fake.data, suiteCompany(700, 3))
  const { next } = await suiteOf(fake).users(null)
  expect((await suiteOf(fake).users(next)).entries).toHaveLength(200)
})

it('confirms only active users of the domain', async () => {
  fake.data.users = [
    suiteUser('1'),
    suiteUser('2', { suspended: true }),
    suiteUser('3', { primaryEmail: 'three@second.example.net' }),
  ]
  expect(await suiteOf(fake).confirm(['1', '2', '3', '4'])).toEqual(['1', '3'])
  expect(await suiteOf(fake, { domain: 'example.com' }).confirm(['1', '2', '3', '4'])).toEqual(['1'])
})

it('uses the key only for the configured token endpoint', async () => {
  fake.data.users = [suiteUser('1')]
  await suiteOf(fake).users(null)
  expect(fake.requests.map(({ path }) => path)).toEqual(['/token', '/admin/directory/v1/users'])
  expect(JSON.stringify(fake.requests)).not.toContain('PRIVATE KEY')
})

it.each(['{}', 'no key', '{"client_email":"a@example.com","private_key":"-----BEGIN PRIVATE KEY-----\\nsecret\\n"}'])(
  'names the field of an unusable key (%s), and shows nothing of the key',
  async (serviceAccountKey) => {
    const fault = await faultOf(suiteOf(fake, { serviceAccountKey }).users(null))
    expect(fault).toMatchObject({ faultClass: 'fatal', message: expect.stringContaining('service_account_key') })
    expect(`${fault.message} ${fault.cause}`).not.toContain('secret')
  },
)

import { afterEach, describe, expect, it, vi } from 'vitest'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { getRow } from '#shared/table/read.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { openPolicy } from '#test/support/accounts/row-fields.ts'
import { insertRow } from '#test/support/accounts/rows.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { membersOf } from '#test/support/table/members-of.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const people = Array.from({ length: 6 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))
const ids = people.map(({ id }) => id)

const policy = (world: SyncWorld, group_id: string | null, resource_id: string, fields = {}) =>
  insertRow(world.account.id, policies, { ...openPolicy, group_id, group_idp_id: 'g', resource_id, ...fields })

describe('groups (I4.4)', () => {
  it('NetBird #3003: are inserted, and get name, email and type from the provider in each run', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [{ id: 'g', name: 'Old' }]
    await world.run()
    world.company.groups = [{ id: 'g', name: 'New', email: 'all@example.com', type: 'org_unit' }]
    const run = await world.run()
    expect(run.applied.groups).toEqual({ insert: 0, update: 1, delete: 0 })
    expect((await world.state()).groups.filter(({ idp_id }) => idp_id)).toMatchObject([
      { name: 'New', email: 'all@example.com', entity_type: 'org_unit', directory_id: world.id },
    ])
  })

  it('NetBird docs#769: are unchanged, with their members, if native or of another directory', async () => {
    const world = await newSyncWorld()
    const other = await insertSyncedGroup(world.account, { idp_id: 'g', name: 'Theirs' })
    world.company.users = people
    world.company.groups = [
      { id: 'g', name: 'Ours', members: ids },
      { id: 'Native', members: ['u1'] },
    ]
    const before = (await world.state()).groups.filter(({ idp_id }) => idp_id === null)
    const run = await world.run()
    expect(run.skipped).toEqual({ other_directory: 1 })
    const after = await world.state()
    expect(after.groups.find(({ id }) => id === other.id)).toEqual(other)
    expect(after.groups.filter(({ idp_id }) => idp_id === null)).toEqual(before)
    expect(after.memberships).toEqual(['Native u1@example.com'])
  })

  it('orphan their policies when they vanish, which are relinked when they return (I4.6)', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [
      { id: 'g', members: ids },
      { id: 'h', members: ids },
    ]
    await world.run()
    const group = (await world.state()).groups.find(({ idp_id }) => idp_id === 'g')
    const wiki = await policy(world, group?.id ?? '', 'wiki', { is_disabled: true })
    const [shop, twin] = [
      await policy(world, group?.id ?? '', 'shop'),
      await policy(world, null, 'wiki', { group_idp_provider: group?.idp_provider ?? null }),
    ]
    world.company.groups = [{ id: 'h', members: ids }]
    await world.run()
    const stored = async (id: string) => getRow(policies, world.account.id, id)
    expect([(await stored(wiki.id))?.group_id, (await stored(shop.id))?.group_id]).toEqual([null, null])
    world.company.groups = [
      { id: 'g', members: ids },
      { id: 'h', members: ids },
    ]
    const run = await world.run()
    const again = (await world.state()).groups.find(({ idp_id }) => idp_id === 'g')
    expect(await stored(wiki.id)).toMatchObject({ group_id: again?.id, is_disabled: true })
    expect(await stored(shop.id)).toMatchObject({ group_id: again?.id, is_disabled: false })
    // Expects the policy to stay unlinked, because there can be only one policy for a group and a resource.
    expect((await stored(twin.id))?.group_id).toBeNull()
    expect(run.skipped).toEqual({ policy_exists: 1 })
  })
})

describe('members (I4.2)', () => {
  it('complaint 4, #11628: include those of nested groups, even with cycles', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [
      { id: 'a', members: ['u0', { group: 'b' }] },
      { id: 'b', members: ['u1', { group: 'c' }, { group: 'b' }] },
      { id: 'c', members: ['u2', { group: 'a' }] },
    ]
    await world.run()
    const all = ['u0', 'u1', 'u2']
    const expected = ['a', 'b', 'c'].flatMap((group) => all.map((user) => `${group} ${user}@example.com`))
    expect((await world.state()).memberships).toEqual(expected)
    expect(world.company.calls.filter((call) => call === 'members b')).toHaveLength(2)
  })

  it('include those of a nested group that is in no list, which is not stored as a group', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [{ id: 'a', members: [{ group: 'hidden' }] }]
    const { adapter } = world.company
    vi.spyOn(world.company, 'adapter', 'get').mockReturnValue({
      ...adapter,
      members: async (group, position) =>
        group.idp_id === 'hidden'
          ? { entries: [{ user: 'u3' }], skipped: [], next: null }
          : adapter.members(group, position),
    })
    await world.run()
    const { memberships: members, groups } = await world.state()
    expect(members).toEqual(['a u3@example.com'])
    expect(groups.filter(({ idp_id }) => idp_id !== null)).toHaveLength(1)
  })

  it('can be all users, and people who are in no other list', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [
      { id: 'all', members: [{ everyone: true }] },
      { id: 'few', members: [{ profile: { id: 'x', email: 'x@example.com' } }] },
    ]
    await world.run()
    const expected = [...people.map(({ email }) => `all ${email}`), 'all x@example.com', 'few x@example.com']
    expect((await world.state()).memberships).toEqual(expected.sort())
  })

  it('are not written again if unchanged', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [{ id: 'g', members: ids }]
    await world.run()
    const group = (await world.state()).groups.find(({ idp_id }) => idp_id === 'g')
    const kept = await membersOf(world.account.id, memberships, group?.id ?? '')
    world.company.groups = [{ id: 'g', members: ids.slice(1) }]
    const run = await world.run()
    expect(run.planned.memberships).toEqual({ insert: 0, update: 0, delete: 1 })
    const left = await membersOf(world.account.id, memberships, group?.id ?? '')
    expect(kept).toEqual(expect.arrayContaining(left))
    expect(left).toHaveLength(5)
  })

  it('are kept if their group vanishes during the read, or if their entry cannot be read', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [
      { id: 'g', members: ids },
      { id: 'h', members: ids },
    ]
    await world.run()
    const before = await world.state()
    world.company.groups = [
      { id: 'g', members: ['u0'], gone: true },
      { id: 'h', members: ids.slice(1), unread: ['u0'] },
    ]
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', skipped: { gone: 2 } })
    expect(await world.state()).toEqual(before)
  })

  it('are not read again while the group has the same version, except once a day', async () => {
    const world = await newSyncWorld()
    world.company.users = people
    world.company.groups = [
      { id: 'g', version: '1', members: ids },
      { id: 'h', members: ids },
    ]
    await world.run()
    const requestedCalls = async () => {
      world.company.calls.length = 0
      await world.run()
      return new Set(world.company.calls.filter((call) => call.startsWith('members')))
    }
    expect(await requestedCalls()).toEqual(new Set(['members h']))
    const day = Date.now() + 25 * 3_600_000
    vi.spyOn(Date, 'now').mockImplementation(() => day)
    expect(await requestedCalls()).toEqual(new Set(['members g', 'members h']))
  })
})

import { describe, expect, it } from 'vitest'
import { getMembership } from '#shared/domain/memberships/membership.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { entries, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

const numbered = Array.from({ length: 9_000 }, (_, i) => `id ${i}`)
const world = await newMembershipWorld()
const { a, b, c } = world

describe('PUT /groups/{group_id}/memberships (A15)', () => {
  it('replaces the set and returns it sorted, without duplicates', async () => {
    const group = await world.newGroup()
    expect((await world.put(group, entries(c, a, a.toUpperCase()))).body).toEqual({
      data: { actor_ids: [a, c].sort() },
    })
    expect((await world.put(group, entries(b))).body).toEqual({ data: { actor_ids: [b] } })
    expect((await world.put(group, [])).body).toEqual({ data: { actor_ids: [] } })
    expect((await world.list(group)).body.metadata.total).toBe(0)
  })

  it('keeps the memberships of remaining members', async () => {
    const group = await world.newGroup()
    await world.put(group, entries(a, b))
    const idOf = async () => (await getMembership(world.account.id, group, a))?.id
    const before = await idOf()
    const commits = (await readCommits(world.account.id)).length
    await world.put(group, entries(a, b))
    expect((await readCommits(world.account.id)).length).toBe(commits)
    await world.put(group, entries(a, c))
    expect(await idOf()).toBe(before)
  })

  it.each<[unknown, string[]]>([
    [[{}], ['entry 0 is missing actor_id']],
    [[{ actor_id: null }], ['entry 0 is missing actor_id']],
    [
      ['x', 7, null],
      ['entry 0 is missing actor_id', 'entry 1 is missing actor_id', 'entry 2 is missing actor_id'],
    ],
    [entries('nonsense', 'other'), ['nonsense is not a valid actor id', 'other is not a valid actor id']],
    [entries(unknownId), [`${unknownId} does not exist`]],
    [entries('x'.repeat(1_000)), [`${'x'.repeat(254)}… is not a valid actor id`]],
    [Array(9_000).fill({}), Array.from({ length: 100 }, (_, i) => `entry ${i} is missing actor_id`)],
    [entries(...numbered), numbered.slice(0, 100).map((id) => `${id} is not a valid actor id`)],
    [entries(...Array.from({ length: 10_001 }, () => unknownId)), ['should have at most 10000 item(s)']],
  ])('refuses %#, and keeps the set', async (memberships, messages) => {
    const group = await world.newGroup()
    await world.put(group, entries(a))
    const answer = await world.put(group, memberships)
    expect([answer.status, answer.body.errors]).toEqual([422, { memberships: messages }])
    expect((await world.list(group)).body.data.map(({ id }: { id: string }) => id)).toEqual([a])
  })

  it('refuses entries with too many keys', async () => {
    const crowded = { actor_id: a, ...Object.fromEntries(numbered.slice(0, 1_000).map((name) => [name, 1])) }
    const answer = await world.put(await world.newGroup(), [{ actor_id: a }, crowded])
    expect(answer.body.errors).toEqual({ 'memberships.1': ['should have at most 1000 key(s)'] })
  })

  it('requires a list', async () => {
    for (const shape of [{}, 'x', null, { add: [] }]) {
      expect((await world.put(unknownId, shape)).body.code).toBe('bad_request')
    }
  })

  it('checks shape, group, refusals, form of the ids and existence in this order (A15.4)', async () => {
    expect((await world.put(unknownId, {})).body.code).toBe('bad_request')
    expect((await world.put(unknownId, entries('x'))).status).toBe(404)
    expect((await world.put(world.everyone, entries('x'))).body.code).toBe('managed_group')
    const synced = await insertSyncedGroup(world.account)
    expect((await world.put(synced.id, entries('x'))).body.code).toBe('synced_group')
    const group = await world.newGroup()
    expect((await world.put(group, entries('x', unknownId))).body.errors.memberships).toEqual([
      'x is not a valid actor id',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { entries, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const world = await newMembershipWorld()
const { a, b, c } = world

describe('PATCH /groups/{group_id}/memberships (A15)', () => {
  it('removes first, then adds', async () => {
    const group = await world.newGroup()
    await world.put(group, entries(a))
    expect((await world.patch(group, { add: [b], remove: [a] })).body.data.actor_ids).toEqual([b])
    expect((await world.patch(group, { add: [c], remove: [c] })).body.data.actor_ids).toEqual([b, c].sort())
    expect((await world.patch(group, {})).body.data.actor_ids).toEqual([b, c].sort())
    expect((await world.patch(group, { add: [b, b], remove: [a, unknownId] })).body.data.actor_ids).toEqual(
      [b, c].sort(),
    )
  })

  it.each<[unknown, Record<string, string[]>]>([
    [{ add: 'x' }, { add: ['must be a list of actor ids'] }],
    [{ remove: {} }, { remove: ['must be a list of actor ids'] }],
    [
      { add: null, remove: 5 },
      { add: ['must be a list of actor ids'], remove: ['must be a list of actor ids'] },
    ],
    [{ add: ['x'], remove: ['y'] }, { memberships: ['x is not a valid actor id', 'y is not a valid actor id'] }],
    [{ add: [unknownId] }, { memberships: [`${unknownId} does not exist`] }],
    [{ add: Array.from({ length: 10_001 }, () => unknownId) }, { memberships: ['should have at most 10000 item(s)'] }],
  ])('refuses %#', async (memberships, errors) => {
    const answer = await world.patch(await world.newGroup(), memberships)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('requires an object', async () => {
    for (const shape of [[], 'x', null]) expect((await world.patch(unknownId, shape)).body.code).toBe('bad_request')
  })

  it('checks shape, group, refusals, form of the ids and existence in this order (A15.4)', async () => {
    expect((await world.patch(unknownId, [])).body.code).toBe('bad_request')
    expect((await world.patch(unknownId, { add: 'x' })).status).toBe(404)
    expect((await world.patch(world.everyone, { add: 'x' })).body.code).toBe('managed_group')
    const synced = await insertSyncedGroup(world.account)
    expect((await world.patch(synced.id, { add: 'x' })).body.code).toBe('synced_group')
    const group = await world.newGroup()
    expect((await world.patch(group, { add: ['x', unknownId] })).body.errors).toEqual({
      memberships: ['x is not a valid actor id'],
    })
  })

  it('keeps the set when an entry is refused', async () => {
    const group = await world.newGroup()
    await world.put(group, entries(a))
    expect((await world.patch(group, { add: [b, unknownId], remove: [a] })).status).toBe(422)
    expect((await world.list(group)).body.data.map(({ id }: { id: string }) => id)).toEqual([a])
  })
})

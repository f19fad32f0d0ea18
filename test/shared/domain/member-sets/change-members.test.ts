import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { readPending } from '#shared/domain/member-sets/pending-change.ts'
import { getMembership, memberships } from '#shared/domain/memberships/membership.ts'
import { linkKey } from '#shared/table/entity.ts'
import { counterSort, membersPartition, partition } from '#shared/table/keys.ts'
import { type Chunk, chunkItem, readChunks } from '#shared/table/member-ids.ts'
import { removeItem } from '#shared/table/put-item.ts'
import { getItem, sortKeysOf } from '#shared/table/read.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { entries, type MembershipWorld, newMembershipWorld } from '#test/support/accounts/memberships.ts'
import { followUpAll, readCommits } from '#test/support/logs/commit-stream.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { membersOf } from '#test/support/table/members-of.ts'
import { asOtherProcess } from '#test/support/table/other-process.ts'
import { plantIds, plantItems } from '#test/support/table/plant-rows.ts'

let world: MembershipWorld
beforeAll(async () => {
  world = await newMembershipWorld()
})
afterEach(() => vi.restoreAllMocks())

const robots = (count: number) => plantIds<ActorRow>(world.account.id, actors, count, robotRow)
const members = (group: string) => membersOf(world.account.id, memberships, group)

function beforeTransaction(number: number, act: () => Promise<unknown>): void {
  let count = 0
  interceptTable(async (command, send) => {
    if (command.constructor.name === 'TransactWriteCommand' && ++count === number) await asOtherProcess(act)
    return send(command)
  })
}

it('writes one item per member, and as many members per commit as fit a transaction', async () => {
  const ids = await robots(240)
  const group = await world.newGroup()
  const before = (await readCommits(world.account.id)).length
  const { requests, writes } = await measure(async () => {
    const { status, body } = await world.put(group, entries(...ids))
    expect([status, body.data.actor_ids]).toEqual([200, ids])
  })
  const commits = (await readCommits(world.account.id)).slice(before)
  expect(commits.map(({ changes }) => changes.length)).toEqual([0, 90, 90, 60])
  // Allows two requests per commit, and 20 requests for authentication and for the reads before and after the commits.
  expect(requests).toBeLessThanOrEqual(2 * commits.length + 20)
  // Allows two write units per member in a transaction. Besides the members, a commit writes the account version, the counter, the pending
  // change, the ids of the members, and the commit record with a digest per member.
  expect(writes).toBeLessThan(ids.length * 2 + commits.length * 80)
})

it('removes scattered members, in one commit and in several', async () => {
  const ids = await robots(200)
  const group = await world.newGroup()
  await world.put(group, entries(...ids))
  const ends = [ids[0], ids.at(-1)]
  expect((await world.patch(group, { remove: ends })).body.data.actor_ids).toEqual(ids.slice(1, -1))
  const scattered = ids.filter((_, i) => i % 3 === 1)
  expect(scattered.length).toBeGreaterThan(48)
  const left = ids.slice(1, -1).filter((id) => !scattered.includes(id))
  expect((await world.patch(group, { remove: scattered })).body.data.actor_ids).toEqual(left)
  expect(await members(group)).toEqual(left)
})

it.each([
  ['row', 'add', [0, 1, 2]],
  ['row', 'remove', [0, 2]],
  ['id', 'add', [0, 1, 2]],
  ['id', 'remove', [0, 2]],
] as const)('repairs a lost %s of a member if a request names the member in %s', async (lost, edit, left) => {
  const ids = await robots(3)
  const [, split] = ids as [string, string]
  const group = await world.newGroup()
  await world.put(group, entries(...ids))
  const pk = membersPartition(world.account.id, memberships.name, group)
  const [chunk] = (await readChunks(pk)) as [Chunk]
  if (lost === 'id') await plantItems([chunkItem({ ...chunk, ids: chunk.ids.filter((id) => id !== split) })])
  else await removeItem(linkKey(memberships, world.account.id, { set: group, member: split }))
  // Restores a counter of another point in time, too.
  await plantItems([{ pk, sk: counterSort, kind: 'counter', rows: 7 }])

  const expected = left.map((index) => ids[index])
  expect((await world.patch(group, { [edit]: [split] })).body.data.actor_ids).toEqual(expected)
  expect(await members(group)).toEqual(expected)
  expect((await getMembership(world.account.id, group, split)) !== undefined).toBe(edit === 'add')
  const commit = (await readCommits(world.account.id)).at(-1)
  const revoked = edit === 'remove' ? [{ by: 'membership', id: group, actors: [split] }] : []
  expect(commit?.revocations).toMatchObject(revoked)
  expect((await getItem({ pk, sk: counterSort }))?.rows).toBe(expected.length)
})

it('repairs many members in several commits', async () => {
  const ids = await robots(120)
  const group = await world.newGroup()
  await world.put(group, entries(...ids))
  const pk = membersPartition(world.account.id, memberships.name, group)
  for (const member of ids.slice(10)) await removeItem(linkKey(memberships, world.account.id, { set: group, member }))
  expect((await world.patch(group, { add: ids })).body.data.actor_ids).toEqual(ids)
  for (const id of ids) expect(await getMembership(world.account.id, group, id)).toBeDefined()
  expect((await getItem({ pk, sk: counterSort }))?.rows).toBe(ids.length)
})

it('reads the rows of named members whose membership does not change, and writes nothing', async () => {
  const ids = await robots(3)
  const group = await world.newGroup()
  await world.put(group, entries(...ids.slice(0, 2)))
  const before = (await readCommits(world.account.id)).length
  const { status, body } = await world.patch(group, { add: [ids[0]], remove: [ids[2]] })
  expect([status, body.data.actor_ids]).toEqual([200, ids.slice(0, 2)])
  expect((await readCommits(world.account.id)).length).toBe(before)
})

it('is deleted completely, even if it has ids without rows', async () => {
  const group = await world.newGroup()
  const pk = membersPartition(world.account.id, memberships.name, group)
  const lost = Array.from({ length: 70 }, () => crypto.randomUUID()).sort()
  await plantItems([chunkItem({ pk, sk: 'z', ids: lost })])
  expect((await world.account.call(deleteGroup, { method: 'DELETE', params: { id: group } })).status).toBe(200)
  await followUpAll(world.account.id)
  expect(await members(group)).toEqual([])
})

it('reads the state again if another commit comes between its own (A15.6)', async () => {
  const ids = await robots(200)
  const group = await world.newGroup()
  const deletedClients = [ids[100], ids[180]] as [string, string]
  const [late] = await robots(1)
  // Interrupts the request before its third transaction, after the first part of the change was applied.
  beforeTransaction(3, async () => {
    vi.restoreAllMocks()
    for (const id of deletedClients) await world.account.call(deleteActor, { method: 'DELETE', params: { id } })
  })
  const { status, body } = await world.put(group, entries(...ids, late))
  const left = [...ids, late].filter((id) => !deletedClients.includes(id as string))
  expect([status, body.data.actor_ids]).toEqual([200, left])
  expect(await members(group)).toEqual(left)
  for (const id of deletedClients)
    expect(await sortKeysOf(partition(world.account.id, memberships.name, id))).toEqual([])
})

it('yields to another change of the set between its commits', async () => {
  const ids = await robots(200)
  const group = await world.newGroup()
  let other: { status: number } | undefined
  beforeTransaction(3, async () => {
    vi.restoreAllMocks()
    other = await world.put(group, entries(...ids.slice(150)))
  })
  const { status, body } = await world.put(group, entries(...ids.slice(0, 160)))
  expect([status, other?.status]).toEqual([200, 200])
  expect(body.data.actor_ids).toEqual(ids.slice(150))
  expect(await members(group)).toEqual(ids.slice(150))
})

it('writes nothing to the set of a group deleted between its commits', async () => {
  const ids = await robots(200)
  const group = await world.newGroup()
  beforeTransaction(4, async () => {
    vi.restoreAllMocks()
    await world.account.call(deleteGroup, { method: 'DELETE', params: { id: group } })
  })
  expect((await world.put(group, entries(...ids))).status).toBe(404)
  expect(await readPending(world.account.id, memberships.name, group)).toEqual([])
})

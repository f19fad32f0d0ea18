import { afterEach, expect, it, vi } from 'vitest'
import { directories } from '#shared/domain/directories/directory.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { getRow } from '#shared/table/read.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { newRewindWorld } from '#test/support/sync/rewinds.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

type World = Awaited<ReturnType<typeof newRewindWorld>>

async function deleteDirectory(world: World) {
  await updateRow(world.account.id, directories.idp, await world.row(), { is_disabled: true })
  expect(await directoriesApi.idp.remove(world.account, world.id)).toMatchObject({ status: 200 })
  await followUpAll(world.account.id)
}

async function loseGroup(world: World) {
  expect(await world.lose()).toMatchObject({ outcome: 'applied', applied: { groups: { delete: 1 } } })
}

async function loseRewoundGroup(world: World) {
  const lost = await world.lose()
  await world.rewind(lost.id)
  expect(await groupOf(world)).toEqual(expect.any(String))
  await loseGroup(world)
}

const groupOf = async ({ account, policy }: World) => (await getRow(policies, account.id, policy.id))?.group_id

it.each([
  ['directory was deleted', deleteDirectory],
  ['group vanished', loseGroup],
  ['group vanished again after a rewind', loseRewoundGroup],
])('relinks a policy whose %s only to a group of the same provider', async (_, orphan) => {
  const world = await newRewindWorld()
  await orphan(world)
  expect(await groupOf(world)).toBe(null)
  const member = world.company.users[0]?.email ?? ''
  for (const [kind, issuer, comesBack] of [
    ['idp', 'https://attacker.example', false],
    ['tenant', world.company.issuer, false],
    ['idp', world.company.issuer, true],
  ] as const) {
    const other = await newSyncWorld(kind, world.account)
    other.company.issuer = issuer
    other.company.users = [{ id: 'x1', email: member }]
    other.company.groups = [{ id: 'staff', name: 'Harmless', members: ['x1'] }]
    expect(await other.run()).toMatchObject({ outcome: 'applied', applied: { groups: { insert: 1 } } })
    const group = (await other.state()).groups.find(({ directory_id }) => directory_id === other.id)
    expect(await groupOf(world)).toBe(comesBack ? group?.id : null)
    expect(await directoriesApi[kind].remove(world.account, other.id)).toMatchObject({ status: 200 })
  }
})

import { afterEach, expect, it, vi } from 'vitest'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('inserts people, groups and memberships in a first run, and nothing in a second', async () => {
  const world = await newSyncWorld()
  world.company.users = [
    { id: 'u1', email: 'one@example.com', name: 'One' },
    { id: 'u2', email: 'Two@Example.com', name: 'Two' },
    { id: 'u3', email: 'three@example.com', active: false },
    { id: 'u4', email: null },
  ]
  world.company.groups = [
    { id: 'g1', name: 'All', members: ['u1', 'u2', 'u3', 'u9'] },
    { id: 'g2', name: 'Nested', members: [{ group: 'g3' }, 'u1'] },
    { id: 'g3', name: 'Inner', members: ['u2', { group: 'g2' }] },
  ]
  const run = await world.run()
  expect(run).toMatchObject({ outcome: 'applied', error: null, phase: 'finish' })
  expect(run.planned).toEqual({
    users: { insert: 2, update: 0, delete: 0 },
    groups: { insert: 3, update: 0, delete: 0 },
    memberships: { insert: 6, update: 0, delete: 0 },
  })
  expect(run.applied).toEqual(run.planned)
  expect(run.skipped).toEqual({ no_email: 1, foreign_member: 1 })
  const state = await world.state()
  expect(state.memberships).toEqual(
    [
      'g1 one@example.com',
      'g1 Two@example.com',
      'g2 one@example.com',
      'g2 Two@example.com',
      'g3 one@example.com',
      'g3 Two@example.com',
    ].sort(),
  )
  expect(state.identities.map(({ idp_id, directory_id }) => [idp_id, directory_id])).toEqual([
    ['u1', world.id],
    ['u2', world.id],
  ])
  const again = await world.run()
  expect(again).toMatchObject({ outcome: 'applied', sections: { users: 0, joined: 0 } })
  expect(await world.state()).toEqual(state)
})

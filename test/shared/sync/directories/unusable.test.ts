import { afterEach, expect, it, vi } from 'vitest'
import { ProviderFault } from '#shared/sync/adapter.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const half = '\ud800'

it.each([
  ['is too long', 'x'.repeat(256)],
  ['has half a surrogate pair', `k${half}`],
])('skips people, groups and members whose id %s, and deletes absent people', async (_, bad) => {
  const world = await newSyncWorld()
  const people = Array.from({ length: 4 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))
  world.company.users = people
  await world.run()
  world.company.users = [...people.slice(1), { id: bad, email: 'bad@example.com' }]
  world.company.groups = [
    { id: bad, members: ['u1'] },
    { id: 'g1', members: ['u1', bad, { group: bad }] },
  ]
  const run = await world.run()
  expect(run).toMatchObject({
    outcome: 'applied',
    skipped: { invalid_id: 3 },
    applied: { users: { delete: 1 }, groups: { insert: 1 }, memberships: { insert: 1 } },
  })
  expect((await world.state()).identities.map(({ idp_id }) => idp_id)).toEqual(['u1', 'u2', 'u3'])
})

it('replaces half a surrogate pair in texts of people and groups', async () => {
  const world = await newSyncWorld()
  const picture = `https://pictures.example.com/${half}`
  world.company.users = [
    { id: 'u1', email: 'one@example.com', name: `One${half}`, fields: { picture, nickname: half } },
    { id: 'u2', email: `tw${half}@example.com` },
  ]
  world.company.groups = [{ id: 'g1', name: `Staff${half}`, email: half }]
  expect(await world.run()).toMatchObject({ outcome: 'applied', skipped: { invalid_email: 1 } })
  const { identities, groups } = await world.state()
  expect(identities).toMatchObject([{ idp_id: 'u1', name: 'One\ufffd', picture: null }])
  expect(groups.filter(({ idp_id }) => idp_id)).toMatchObject([{ name: 'Staff\ufffd', email: '\ufffd' }])
})

it('applies all other entries if the table refuses one, and reports the error', async () => {
  const world = await newSyncWorld()
  const people = Array.from({ length: 4 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))
  world.company.users = people
  await world.run()
  world.company.users = people.slice(1)
  world.company.groups = ['g1', 'g2', 'g3'].map((id) => ({ id, members: ['u1'] }))
  // Plants an invalid group type. No adapter returns an invalid type, but the type is the only stored string that is not checked.
  if (world.company.groups[1]) world.company.groups[1].type = half as 'group'
  const run = await world.run()
  expect(run).toMatchObject({
    outcome: 'failed',
    error: '1 entries could not be stored and were skipped (not_storable); all others were applied.',
    skipped: { not_storable: 1 },
    applied: { users: { delete: 1 }, groups: { insert: 2 }, memberships: { insert: 2 } },
  })
  expect(run.skipped_sample).toMatchObject([{ idp_id: 'g2', reason: 'not_storable' }])
  expect(await world.open()).toBe(undefined)
  expect(await world.row()).toMatchObject({ is_disabled: false, error: run.error, error_count: 1 })
})

it('stores a provider error that contains half a surrogate pair', async () => {
  const world = await newSyncWorld()
  world.company.before = () => {
    throw new ProviderFault('fatal', `GET /users returned 403 (${half}).`)
  }
  expect(await world.run()).toMatchObject({ outcome: 'failed', error: 'GET /users returned 403 (\ufffd).' })
})

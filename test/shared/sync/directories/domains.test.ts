import { afterEach, expect, it, vi } from 'vitest'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const update = (world: SyncWorld, fields: Record<string, unknown>) =>
  directoriesApi[world.kind].update(world.account, world.id, fields)

const emailsOf = async (world: SyncWorld) => (await world.state()).identities.map(({ email }) => email).sort()

it('neither inserts nor links people with an email outside the domains', async () => {
  const world = await newSyncWorld()
  expect(await update(world, { domains: ['Example.com', 'bücher.example'] })).toMatchObject({
    status: 200,
    body: { data: { domains: ['example.com', 'xn--bcher-kva.example'] } },
  })
  const linked = await insertActor(world.account.id, { type: 'account_user', email: 'ada@contractor.example' })
  world.company.users = [
    { id: 'u1', email: 'one@EXAMPLE.com' },
    { id: 'u2', email: 'two@sub.example.com' },
    { id: 'u3', email: 'ada@contractor.example' },
    { id: 'u4', email: 'four@bücher.example' },
  ]
  world.company.groups = [{ id: 'g1', members: ['u1', 'u2', 'u3'] }]
  const run = await world.run()
  expect(run).toMatchObject({ outcome: 'applied', skipped: { outside_domains: 2 } })
  expect(run.skipped_sample.map(({ idp_id, reason }) => [idp_id, reason])).toEqual([
    ['u2', 'outside_domains'],
    ['u3', 'outside_domains'],
  ])
  const state = await world.state()
  expect(state.identities.map(({ idp_id }) => idp_id)).toEqual(['u1', 'u4'])
  expect(state.actors.map(({ id }) => id)).toContain(linked.id)
  expect(state.memberships).toEqual(['g1 one@example.com'])
})

it('removes people whose email moves outside the domains, unless the brake stops it, and restores them later', async () => {
  const world = await newSyncWorld()
  const person = (i: number, domain = 'example.com') => ({ id: `u${i}`, email: `u${i}@${domain}` })
  const people = Array.from({ length: 12 }, (_, i) => person(i))
  world.company.users = people
  world.company.groups = [{ id: 'g1', members: people.map(({ id }) => id) }]
  await world.run()
  const signedIn = await insertActor(world.account.id, { type: 'account_user', email: 'sue@other.example' })
  const issuer = world.company.issuer
  await insertIdentity(world.account.id, signedIn.id, { issuer, idp_id: 'sue', email: 'sue@other.example' })
  await update(world, { domains: ['example.com'] })
  world.company.users = [person(0), person(1), ...people.slice(2).map((_, i) => person(i + 2, 'other.example'))]
  world.company.users.push({ id: 'sue', email: 'sue@other.example' })
  expect(await world.run()).toMatchObject({
    outcome: 'stopped',
    error: 'Sync would delete 10 of 12 identities; nothing was changed.',
  })
  expect((await emailsOf(world)).length).toBe(13)
  await update(world, { accept_deletions: true, is_disabled: false })
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { delete: 10 } } })
  expect(await emailsOf(world)).toEqual(['sue@other.example', 'u0@example.com', 'u1@example.com'])
  expect((await world.state()).memberships).toEqual(['g1 u0@example.com', 'g1 u1@example.com'])
  expect(world.company.calls.filter((call) => call.startsWith('confirm'))).toEqual([])
  await update(world, { domains: null })
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { insert: 10 } } })
})

it('removes an inactive person outside the domains', async () => {
  const world = await newSyncWorld()
  world.company.users = [
    { id: 'u1', email: 'one@example.com' },
    { id: 'u2', email: 'two@example.com' },
  ]
  await world.run()
  await update(world, { domains: ['example.com'] })
  world.company.users[1] = { id: 'u2', email: 'two@other.example', active: false }
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { delete: 1 } }, skipped: {} })
  expect(await emailsOf(world)).toEqual(['one@example.com'])
})

it('cancels a run when the domains are changed during it', async () => {
  const world = await newSyncWorld()
  world.company.users = [{ id: 'u1', email: 'one@example.com' }]
  await world.begin()
  await update(world, { domains: ['other.example'] })
  await world.step()
  expect(await world.last()).toMatchObject({ outcome: 'cancelled' })
})

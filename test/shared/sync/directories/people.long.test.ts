import { afterEach, describe, expect, it, vi } from 'vitest'
import { actors } from '#shared/domain/actors/actor.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { getRow } from '#shared/table/read.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const person = (world: SyncWorld, email: string, fields = {}) =>
  insertActor(world.account.id, { type: 'account_user', name: 'Grace', email, ...fields })
const ada = { id: 'ada', email: 'Ada.Lee@Example.com', name: 'Ada Lee' }
const bo = { id: 'bo', email: 'bo@example.com', name: 'Bo Berg' }
const others = Array.from({ length: 5 }, (_, i) => ({ id: `o${i}`, email: `o${i}@example.com` }))

describe('a person of the directory (I4.3)', () => {
  it('matches the identity with its id despite another email, and leaves the actor unchanged', async () => {
    const world = await newSyncWorld()
    const actor = await person(world, 'old@example.com')
    await insertIdentity(world.account.id, actor.id, { issuer: world.company.issuer, idp_id: 'ada' })
    world.company.users = [ada]
    expect((await world.run()).applied.users).toEqual({ insert: 0, update: 1, delete: 0 })
    const { identities, actors: people } = await world.state()
    expect(identities).toMatchObject([{ idp_id: 'ada', email: 'Ada.Lee@example.com', directory_id: world.id }])
    expect(people.find(({ id }) => id === actor.id)).toEqual(actor)
  })

  it('matches the actor with its email, even disabled and ignoring case, and inserts an identity', async () => {
    const world = await newSyncWorld()
    const actor = await person(world, 'ADA.lee@example.com', { is_disabled: true })
    world.company.users = [ada]
    await world.run()
    const { identities, actors: people } = await world.state()
    expect(identities).toMatchObject([{ actor_id: actor.id, idp_id: 'ada', issuer: world.company.issuer }])
    expect(people.find(({ id }) => id === actor.id)).toEqual(actor)
  })

  it('takes over the identity of its actor with the same issuer, or of this directory', async () => {
    const world = await newSyncWorld()
    const actor = await person(world, 'ada.lee@example.com')
    const identity = await insertIdentity(world.account.id, actor.id, {
      issuer: world.company.issuer,
      idp_id: 'before',
    })
    world.company.users = [ada]
    await world.run()
    expect((await world.state()).identities).toMatchObject([{ id: identity.id, idp_id: 'ada', directory_id: world.id }])
    world.company.issuer = 'https://moved.example.com'
    await world.run()
    expect((await world.state()).identities).toMatchObject([
      { id: identity.id, idp_id: 'ada', issuer: 'https://moved.example.com' },
    ])
  })

  it('becomes a new user of the directory otherwise', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada]
    await world.run()
    const { identities, actors: people } = await world.state()
    expect(people.find(({ id }) => id === identities[0]?.actor_id)).toMatchObject({
      name: 'Ada Lee',
      email: 'Ada.Lee@example.com',
      type: 'account_user',
      created_by_directory_id: world.id,
      allow_email_otp_sign_in: false,
      is_disabled: false,
    })
  })

  it('complaint 6, #13823, #13833: keeps its actor and memberships if recreated at the provider', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    world.company.groups = [{ id: 'g', members: ['ada', 'o1'] }]
    await world.run()
    const before = await world.state()
    world.company.users = [{ ...ada, id: 'ada-again' }, ...others]
    world.company.groups = [{ id: 'g', members: ['ada-again', 'o1'] }]
    const run = await world.run()
    expect(run.applied).toMatchObject({
      users: { insert: 0, update: 1, delete: 0 },
      memberships: { insert: 0, delete: 0 },
    })
    const after = await world.state()
    expect([after.actors, after.memberships]).toEqual([before.actors, before.memberships])
  })

  it('complaint 6, #13826: is skipped and reported if another person of the directory has its email', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, { id: 'twin', email: 'ada.lee@example.com' }]
    const run = await world.run()
    expect(run.skipped).toEqual({ same_email: 1 })
    expect((await world.run()).skipped).toEqual({ same_email: 1 })
    expect((await world.state()).identities).toMatchObject([{ idp_id: 'ada' }])
  })

  it('is written only if it differs, without any other write', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    await world.run()
    const before = await readCommits(world.account.id)
    world.company.users = [{ ...ada, fields: { nickname: 'Countess' } }, ...others]
    const run = await world.run()
    expect(run.planned.users).toEqual({ insert: 0, update: 1, delete: 0 })
    const [commit, ...rest] = (await readCommits(world.account.id)).slice(before.length)
    expect(rest).toEqual([])
    expect(commit).toMatchObject({ subject: null, run_id: run.id, changes: [{ object: 'external_identities' }] })
  })

  it('keeps identity and memberships if its entry at the provider cannot be used', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    world.company.groups = [{ id: 'g', members: ['ada', 'o1'] }]
    await world.run()
    const before = await world.state()
    world.company.users = others
    world.company.skippedUsers = [{ idp_id: 'ada', name: 'Ada Lee', reason: 'no_email' }]
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', skipped: { no_email: 1 } })
    expect(run.skipped_sample).toEqual([{ idp_id: 'ada', name: 'Ada Lee', reason: 'no_email' }])
    expect(await world.state()).toEqual(before)
  })
})

describe('a person who leaves', () => {
  it('loses the identity, and the actor if the directory has created it', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    await world.run()
    world.company.users = others
    expect((await world.run()).applied.users).toEqual({ insert: 0, update: 0, delete: 1 })
    const { identities, actors: people } = await world.state()
    expect(identities.map(({ idp_id }) => idp_id)).toEqual(others.map(({ id }) => id))
    expect(people.some(({ email }) => email === 'Ada.Lee@example.com')).toBe(false)
  })

  it('keeps an actor that the directory has not created, or that has another identity', async () => {
    const world = await newSyncWorld()
    const native = await person(world, 'ada.lee@example.com')
    world.company.users = [ada, { id: 'bo', email: 'bo@example.com' }, ...others]
    await world.run()
    const bo = (await world.state()).actors.find(({ email }) => email === 'bo@example.com')
    await insertIdentity(world.account.id, bo?.id ?? '', { issuer: 'https://elsewhere.example.com' })
    world.company.users = others
    await world.run()
    const { actors: people, identities } = await world.state()
    expect(people.map(({ id }) => id)).toEqual(expect.arrayContaining([native.id, bo?.id]))
    expect(identities.filter(({ directory_id }) => directory_id === null)).toHaveLength(1)
  })

  it('complaint 7, #12851: loses identity and memberships when inactive, without the brake', async () => {
    const world = await newSyncWorld()
    world.company.users = others
    world.company.groups = [{ id: 'g', members: others.map(({ id }) => id) }]
    await world.run()
    world.company.users = others.map((user, i) => ({ ...user, active: i === 0 }))
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', applied: { users: { delete: 4 }, memberships: { delete: 4 } } })
    expect((await world.state()).memberships).toEqual(['g o0@example.com'])
  })

  it('keeps everything if the provider reports all people as inactive (I5.3)', async () => {
    const world = await newSyncWorld()
    world.company.users = others
    await world.run()
    const before = await world.state()
    world.company.users = others.map((user) => ({ ...user, active: false }))
    const error = 'Sync would delete 5 of 5 identities; nothing was changed.'
    expect(await world.run()).toMatchObject({ outcome: 'stopped', error })
    expect((await world.state()).identities).toEqual(before.identities)
  })

  it('keeps actor and identity if the last enabled administrator, which the run reports (I4.7)', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    await world.run()
    const made = (await world.state()).actors.find(({ email }) => email === 'Ada.Lee@example.com')
    if (!made) throw new Error('It is not there.')
    await updateRow(world.account.id, actors, made, { type: 'account_admin_user' })
    const first = await getRow(actors, world.account.id, world.account.admin.id)
    if (first) await updateRow(world.account.id, actors, first, { is_disabled: true })
    world.company.users = others
    const run = await world.run()
    expect(run.skipped.last_admin).toBeGreaterThan(0)
    expect(run.skipped_sample).toContainEqual({ idp_id: 'ada', name: 'Ada Lee', reason: 'last_admin' })
    const { identities, actors: people } = await world.state()
    expect(identities.map(({ idp_id }) => idp_id)).toContain('ada')
    expect(people.some(({ id }) => id === made.id)).toBe(true)
  })

  it.each([
    ['inactive', [ada, bo].map((user) => ({ ...user, active: false }))],
    ['absent', []],
  ])('keeps one of the last two administrators, both %s, with its identity (I4.7)', async (_what, left) => {
    const world = await newSyncWorld()
    world.company.users = [ada, bo, ...others]
    await world.run()
    const made = (await world.state()).actors.filter(({ name }) => [ada.name, bo.name].includes(name))
    for (const actor of made) await updateRow(world.account.id, actors, actor, { type: 'account_admin_user' })
    const first = await getRow(actors, world.account.id, world.account.admin.id)
    if (first) await updateRow(world.account.id, actors, first, { is_disabled: true })
    world.company.users = [...others, ...left]
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', skipped: { last_admin: 1 } })
    const { identities, actors: people } = await world.state()
    const [stayed] = people.filter(({ id }) => made.some((actor) => actor.id === id))
    expect(identities.filter(({ actor_id }) => made.some(({ id }) => id === actor_id))).toMatchObject([
      { actor_id: stayed?.id },
    ])
  })

  it('keeps an identity of another directory (I4.7)', async () => {
    const first = await newSyncWorld('suite')
    const second = await newSyncWorld('idp', first.account)
    first.company.users = [ada, ...others]
    second.company.users = [ada]
    second.company.groups = [{ id: 'g', members: ['ada'] }]
    await first.run()
    const before = await first.state()
    const run = await second.run()
    expect(run.skipped).toEqual({ other_directory: 1 })
    const after = await second.state()
    expect(after.identities).toEqual(before.identities)
    expect(after.memberships).toEqual(['g Ada.Lee@example.com'])
  })
})

it('takes over an identity that a sign-in has linked by email (I3, I4.3)', async () => {
  const world = await newSyncWorld()
  const actor = await person(world, 'ada.lee@example.com')
  const identity = await insertIdentity(world.account.id, actor.id, { issuer: world.company.issuer, idp_id: 'ada' })
  world.company.users = [ada]
  await world.run()
  expect(await getRow(externalIdentities, world.account.id, identity.id)).toMatchObject({
    idp_id: 'ada',
    directory_id: world.id,
  })
})

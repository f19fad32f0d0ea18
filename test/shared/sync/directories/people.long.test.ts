import { afterEach, describe, expect, it, vi } from 'vitest'
import { actors } from '#shared/domain/actors/actor.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { getRow } from '#shared/table/read.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { commitsOf } from '#test/support/logs/commit-stream.ts'
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
  it('is the identity with its id, whatever its email is by now; the actor stays as it is', async () => {
    const world = await newSyncWorld()
    const actor = await person(world, 'old@example.com')
    await insertIdentity(world.account.id, actor.id, { issuer: world.company.issuer, idp_id: 'ada' })
    world.company.users = [ada]
    expect((await world.run()).applied.users).toEqual({ insert: 0, update: 1, delete: 0 })
    const { identities, actors: people } = await world.state()
    expect(identities).toMatchObject([{ idp_id: 'ada', email: 'Ada.Lee@example.com', directory_id: world.id }])
    expect(people.find(({ id }) => id === actor.id)).toEqual(actor)
  })

  it('is the actor with its email, disabled ones included, ignoring case, and gets an identity', async () => {
    const world = await newSyncWorld()
    const actor = await person(world, 'ADA.lee@example.com', { is_disabled: true })
    world.company.users = [ada]
    await world.run()
    const { identities, actors: people } = await world.state()
    expect(identities).toMatchObject([{ actor_id: actor.id, idp_id: 'ada', issuer: world.company.issuer }])
    expect(people.find(({ id }) => id === actor.id)).toEqual(actor)
  })

  it('takes over the identity that its actor has of the same issuer, or of this directory', async () => {
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

  it('is a new user of the directory otherwise; no limit is tested', async () => {
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

  it('complaint 6, #13823, #13833: who was created anew at the provider keeps the actor, its memberships, and all it made', async () => {
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

  it('complaint 6, #13826: whose email another person of the directory has is skipped, and told', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, { id: 'twin', email: 'ada.lee@example.com' }]
    const run = await world.run()
    expect(run.skipped).toEqual({ same_email: 1 })
    expect((await world.run()).skipped).toEqual({ same_email: 1 })
    expect((await world.state()).identities).toMatchObject([{ idp_id: 'ada' }])
  })

  it('is written only where it differs, and nothing is stamped', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    await world.run()
    const before = await commitsOf(world.account.id)
    world.company.users = [{ ...ada, fields: { nickname: 'Countess' } }, ...others]
    const run = await world.run()
    expect(run.planned.users).toEqual({ insert: 0, update: 1, delete: 0 })
    const [commit, ...rest] = (await commitsOf(world.account.id)).slice(before.length)
    expect(rest).toEqual([])
    expect(commit).toMatchObject({ subject: null, run_id: run.id, changes: [{ object: 'external_identities' }] })
  })

  it('of whom the provider says nothing that can be used keeps what it has', async () => {
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

describe('who leaves', () => {
  it('loses the identity, and the actor that the directory made goes with it', async () => {
    const world = await newSyncWorld()
    world.company.users = [ada, ...others]
    await world.run()
    world.company.users = others
    expect((await world.run()).applied.users).toEqual({ insert: 0, update: 0, delete: 1 })
    const { identities, actors: people } = await world.state()
    expect(identities.map(({ idp_id }) => idp_id)).toEqual(others.map(({ id }) => id))
    expect(people.some(({ email }) => email === 'Ada.Lee@example.com')).toBe(false)
  })

  it('keeps an actor that somebody else made, or that signs in elsewhere', async () => {
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

  it('complaint 7, #12851: who is not active any more loses the identity, whatever the brake says, and is no member', async () => {
    const world = await newSyncWorld()
    world.company.users = others
    world.company.groups = [{ id: 'g', members: others.map(({ id }) => id) }]
    await world.run()
    world.company.users = others.map((user, i) => ({ ...user, active: i === 0 }))
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', applied: { users: { delete: 4 }, memberships: { delete: 4 } } })
    expect((await world.state()).memberships).toEqual(['g o0@example.com'])
  })

  it('nobody loses anything where the provider names all of them as not active (I5.3)', async () => {
    const world = await newSyncWorld()
    world.company.users = others
    await world.run()
    const before = await world.state()
    world.company.users = others.map((user) => ({ ...user, active: false }))
    const error = 'Sync would delete 5 of 5 identities; nothing was changed.'
    expect(await world.run()).toMatchObject({ outcome: 'stopped', error })
    expect((await world.state()).identities).toEqual(before.identities)
  })

  it('the last enabled administrator stays with its identity, and the run says so (I4.7)', async () => {
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
    ['named as not active', [ada, bo].map((user) => ({ ...user, active: false }))],
    ['absent', []],
  ])('of the last two administrators, both %s, one stays with its identity (I4.7)', async (_what, left) => {
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

  it('an identity of another directory is left to it (I4.7)', async () => {
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

it('identities keep the provider id that a sign-in has found by email (I3, I4.3)', async () => {
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

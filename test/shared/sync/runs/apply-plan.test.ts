import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { openRunItem, readOpenRun, takeLease } from '#shared/sync/runs/run-store.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { getRow } from '#shared/table/read.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { signInAs } from '#test/support/sync/sign-in-as.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const elsewhere = randomUUID()
const person = (id: string) => ({ id, email: `${id}@example.com` })

async function newWorld() {
  const world = await newSyncWorld()
  world.company.users = ['u1', 'u2', 'u3'].map(person)
  world.company.groups = [
    { id: 'g', members: ['u1', 'u2'] },
    { id: 'kept', members: ['u2', 'u3'] },
  ]
  return world
}

async function readWorld() {
  const world = await newWorld()
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
  await world.run()
  return world
}

/** Executes a run, and calls `meanwhile` between its plan and its first commit. */
async function runWhile(world: SyncWorld, meanwhile: () => Promise<unknown>) {
  let done: Promise<unknown> | undefined
  vi.spyOn(Pace.prototype, 'wait').mockImplementation(async () => {
    done ??= meanwhile()
    await done
  })
  await world.run()
  expect(done).toBeDefined()
  return world.last()
}

async function takeOver({ syncSource: { account_id, source_id } }: SyncWorld) {
  const open = await readOpenRun(account_id, source_id)
  if (!open) throw new Error('No run is under way.')
  const { pk: _pk, sk: _sk, kind: _kind, ...run } = open as typeof open & { kind: string }
  await writeTogether([put(openRunItem(account_id, source_id, { ...run, owner: 'another', until: clock.now() * 2 }))])
}

const changes = (fields: object) => async (world: SyncWorld) =>
  updateRow(world.account.id, directories.idp, await world.row(), fields)

describe('a run stops changing data', () => {
  it.each<[string, (world: SyncWorld) => Promise<unknown>, string | null]>([
    ['after another worker has taken it over', takeOver, null],
    ['after its directory is disabled', changes({ is_disabled: true }), 'cancelled'],
    ['after its directory gets another connection', changes({ client_id: 'another' }), 'cancelled'],
  ])('%s, from the next commit on', async (_what, meanwhile, outcome) => {
    const world = await newWorld()
    const before = await world.state()
    expect((await runWhile(world, () => meanwhile(world))).outcome).toBe(outcome)
    expect(await world.state()).toEqual(before)
  })

  it('after another worker has taken it over between read and write', async () => {
    const world = await newWorld()
    const before = await world.state()
    await world.begin()
    world.connect()
    vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
    let takeover: Promise<unknown> | undefined
    interceptTable(async (command, send) => {
      if (JSON.stringify(command.input).includes('"kind":"commit"')) {
        takeover ??= takeOver(world)
        await takeover
      }
      return send(command)
    })
    await workOnRun(world.syncSource, world.source as never, Date.now() + 600_000)
    expect(takeover).toBeDefined()
    expect(await world.last()).toMatchObject({ finished_at: null })
    expect(await world.state()).toEqual(before)
  })
})

it('has one lease, which another worker gets only after it has ended', async () => {
  const { begin, syncSource } = await newWorld()
  await begin()
  const take = (owner: string) => takeLease(syncSource.account_id, syncSource.source_id, owner)
  expect([await take('one'), await take('other')]).toEqual([expect.objectContaining({ owner: 'one' }), null])
  const now = clock.now()
  vi.spyOn(clock, 'now').mockImplementation(() => now + 121_000_000)
  expect(await take('other')).toMatchObject({ owner: 'other' })
})

describe('changes between plan and commit take precedence', () => {
  it('of a person and a group that another directory has inserted', async () => {
    const world = await newWorld()
    const { id } = world.account
    const owner = await insertActor(id, { type: 'account_user', email: 'other@example.com' })
    let identity: { id: string } | undefined
    let group: { id: string } | undefined
    const run = await runWhile(world, async () => {
      const theirs = { issuer: world.company.issuer, idp_id: 'u1', directory_id: elsewhere, name: 'Theirs' }
      identity = await insertIdentity(id, owner.id, theirs)
      group = await insertRow(id, groups, { ...nativeGroup, name: 'Theirs', idp_id: 'g', directory_id: elsewhere })
    })
    expect(run.outcome).toBe('applied')
    expect(await getRow(externalIdentities, id, identity?.id ?? '')).toMatchObject({
      name: 'Theirs',
      directory_id: elsewhere,
    })
    expect(await getRow(groups, id, group?.id ?? '')).toMatchObject({ name: 'Theirs', directory_id: elsewhere })
    expect((await world.state()).memberships).toEqual(['kept u2@example.com', 'kept u3@example.com'])
  })

  it('of a person who has signed in, and a group that now belongs to another directory', async () => {
    const world = await readWorld()
    const { id } = world.account
    world.company.users = ['u2', 'u3'].map(person)
    world.company.groups = [{ id: 'g', members: [] }, ...world.company.groups.slice(1)]
    const { identities, groups: reachable } = await world.state()
    const [identity, group] = [
      identities.find(({ idp_id }) => idp_id === 'u1'),
      reachable.find((one) => one.idp_id === 'g'),
    ]
    if (!identity || !group) throw new Error('It is not there.')
    const run = await runWhile(world, async () => {
      await updateRow(id, externalIdentities, identity, { nickname: 'signed in' })
      await updateRow(id, groups, group, { directory_id: elsewhere })
    })
    expect(run.skipped).toMatchObject({ changed_since: 1 })
    expect(await getRow(externalIdentities, id, identity.id)).toMatchObject({ nickname: 'signed in' })
    expect((await world.state()).memberships).toEqual(expect.arrayContaining(['g u1@example.com', 'g u2@example.com']))
  })
})

it('leaves no actor that a removed person could link again by signing in', async () => {
  const world = await readWorld()
  world.company.users = ['u2', 'u3'].map(person)
  const signIns: Promise<boolean>[] = []
  vi.spyOn(Pace.prototype, 'wait').mockImplementation(async () => {
    const { identities } = await world.state()
    if (!identities.some(({ idp_id }) => idp_id === 'u1')) signIns.push(signInAs(world, 'u1'))
    await Promise.all(signIns)
  })
  expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { delete: 1 } } })
  expect(new Set(await Promise.all(signIns))).toEqual(new Set([false]))
  const { actors: people, identities } = await world.state()
  expect(people.map(({ email }) => email)).not.toContain('u1@example.com')
  expect(identities.map(({ idp_id }) => idp_id)).toEqual(['u2', 'u3'])
})

it('revokes the access of a deleted membership in the same commit', async () => {
  const world = await readWorld()
  world.company.groups = [{ id: 'g', members: ['u2'] }, ...world.company.groups.slice(1)]
  await world.run()
  const ended = (await readCommits(world.account.id)).filter(({ changes: all }) =>
    all.some(({ object, operation }) => object === 'memberships' && operation === 'delete'),
  )
  const expected = ended.flatMap(({ changes: all }) =>
    all.flatMap(({ object, before }) =>
      object === 'memberships' ? [{ by: 'membership', id: before?.group_id, actors: [before?.actor_id] }] : [],
    ),
  )
  expect(expected).toHaveLength(1)
  expect(ended.flatMap(({ revocations }) => revocations)).toMatchObject(expected)
})

it('keeps the last enabled administrator, even if created by the directory and absent from it (I4.7)', async () => {
  const world = await readWorld()
  const { id, admin } = world.account
  const last = await insertActor(id, {
    type: 'account_admin_user',
    email: 'ada@example.com',
    created_by_directory_id: world.id,
  })
  const first = await getRow(actors, id, admin.id)
  if (first) await updateRow(id, actors, first, { is_disabled: true })
  expect(await world.run()).toMatchObject({ outcome: 'applied', skipped: { last_admin: 1 } })
  expect(await getRow(actors, id, last.id)).not.toBeNull()
})

it('rejects a list without a person whom the provider still knows (I5.2)', async () => {
  const world = await readWorld()
  const before = await world.state()
  world.company.users = ['u2', 'u3'].map(person)
  world.company.confirmed = ['u1']
  expect(await world.run()).toMatchObject({ outcome: 'failed', error: expect.stringContaining('still reports') })
  expect(await world.state()).toEqual(before)
})

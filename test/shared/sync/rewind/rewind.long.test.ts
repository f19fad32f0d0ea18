import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { finishFollowUp } from '#shared/jobs/follow-up/finish-follow-up.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'
import { verifyChangeLog } from '#shared/logs/verify-change-log.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { runItem } from '#shared/sync/runs/run-store.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { getRow } from '#shared/table/read.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { followUpAll, readCommits, writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { sealNow, sealWorld } from '#test/support/seal/sealing.ts'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newRewindWorld, type RewindWorld, rewindOwners } from '#test/support/sync/rewinds.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

/** Table that only this file uses, because `checkRows` reads every item. */
let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  ownTable = await useOwnTable()
})
afterAll(() => ownTable.end())
beforeEach(() => {
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const policyOf = ({ account }: RewindWorld, id: string) => getRow(policies, account.id, id)

/** Expects unique items, index items and counters that match the rows, and no reference to a missing row. */
const expectSound = async ({ account }: RewindWorld) =>
  expect((await checkRows({ account_id: account.id })).findings).toEqual([])

describe('skips and reports conflicts with later changes (I4.1(6))', () => {
  it('of an email, an identity or a group id, and the rows that belonged to them', async () => {
    const world = await newRewindWorld()
    const { account, company } = world
    const natives = await Promise.all(
      ['moved', 'again'].map((name) =>
        insertActor(account.id, { type: 'account_user', name, email: `${name}@example.com` }),
      ),
    )
    company.users.push({ id: 'n1', email: 'moved@example.com' }, { id: 'n2', email: 'again@example.com' })
    company.groups.push({ id: 'ops', name: 'Ops', members: ['u3'] })
    await world.run()
    const ops = await world.addPolicy('ops', world.resource.id)
    company.users = company.users.filter(({ id }) => !id.startsWith('n'))
    const run = await world.lose()
    // Makes changes that conflict with the rewind: a duplicate email, a changed email, a sign-in, and a group of another directory.
    await account.call(createActor, {
      method: 'POST',
      body: { actor: { name: 'By hand', type: 'account_user', email: 'U1@example.com' } },
    })
    await account.call(updateActor, {
      method: 'PATCH',
      params: { id: natives[0]?.id ?? '' },
      body: { actor: { email: 'somebody-else@example.com' } },
    })
    await insertIdentity(account.id, natives[1]?.id ?? '', { idp_id: 'n2', email: 'again@example.com' })
    await insertSyncedGroup(account, { idp_id: 'ops' })
    const before = await world.state()
    const rewind = await world.rewind(run.id)
    expect(rewind).toMatchObject({
      outcome: 'applied',
      skipped: { email_taken: 1, idp_id_taken: 1, changed_since: 1, identity_taken: 1, actor_gone: 3, group_gone: 2 },
    })
    expect(rewind.skipped_sample).toContainEqual({
      idp_id: expect.any(String),
      name: 'Name of u1',
      reason: 'email_taken',
    })
    expect(await policyOf(world, ops.id)).toMatchObject({ group_id: null })
    expect(await policyOf(world, world.policy.id)).toEqual(expect.objectContaining({ group_id: expect.any(String) }))
    const after = await world.state()
    for (const kept of before.actors) expect(after.actors).toContainEqual(kept)
    expect(after.memberships.filter((text) => text.includes('gone'))).toEqual([])
    expect(after.memberships).toContain('staff u3@example.com')
    await expectSound(world)
  })

  it('of a policy that an administrator has changed', async () => {
    const world = await newRewindWorld()
    const { account } = world
    const resources = await Promise.all(['a', 'b', 'c'].map((name) => world.addResource(name)))
    const [moved, lost, twin] = await Promise.all(resources.map(({ id }) => world.addPolicy('staff', id)))
    const run = await world.lose()
    const all = await world.groupOf('all')
    await account.call(updatePolicy, {
      method: 'PATCH',
      params: { id: moved?.id ?? '' },
      body: { policy: { group_id: all?.id } },
    })
    await account.call(deleteResource, { method: 'DELETE', params: { id: resources[1]?.id ?? '' } })
    await rewindOwners(world, run.id)
    const staff = await world.groupOf('staff')
    const { status } = await account.call(createPolicy, {
      method: 'POST',
      body: { policy: { group_id: staff?.id, resource_id: resources[2]?.id } },
    })
    expect(status).toBe(201)
    await world.step()
    expect(await world.last()).toMatchObject({
      outcome: 'applied',
      skipped: { changed_since: 1, policy_gone: 1, policy_exists: 1 },
    })
    expect(await policyOf(world, moved?.id ?? '')).toMatchObject({ group_id: all?.id })
    expect(await policyOf(world, lost?.id ?? '')).toBe(null)
    expect(await policyOf(world, twin?.id ?? '')).toMatchObject({ group_id: null })
    expect(await policyOf(world, world.policy.id)).toMatchObject({ group_id: staff?.id })
    await expectSound(world)
  })
})

describe('after the directory is enabled again', () => {
  const enable = (world: RewindWorld, fields = {}) =>
    directoriesApi.idp.update(world.account, world.id, { is_disabled: false, ...fields })

  it('keeps ids and memberships of people whom the provider has again', async () => {
    const world = await newRewindWorld()
    const before = await world.state()
    const { users, groups } = world.company
    const run = await world.lose()
    await world.rewind(run.id)
    Object.assign(world.company, { users, groups })
    await enable(world)
    const next = await world.run()
    expect(next).toMatchObject({ outcome: 'applied', error: null })
    expect(Object.values(next.sections).every((count) => count === 0)).toBe(true)
    expect(await world.state()).toEqual(before)
  })

  it('stops the same deletions by the brake, because the rewind withdraws their approval', async () => {
    const world = await newRewindWorld()
    const before = await world.state()
    world.company.users = world.company.users.slice(0, 1)
    world.company.groups = []
    const run = await world.runAll()
    expect(run).toMatchObject({ outcome: 'applied', applied: { users: { delete: 5 }, groups: { delete: 2 } } })
    await directoriesApi.idp.update(world.account, world.id, { accept_deletions: true })
    expect(await world.rewind(run.id)).toMatchObject({ outcome: 'applied' })
    expect(await world.state()).toEqual(before)
    await enable(world)
    expect(await world.run()).toMatchObject({
      outcome: 'stopped',
      error: 'Sync would delete 2 of 2 groups; nothing was changed.',
    })
    expect(await world.state()).toEqual(before)
    expect(await world.row()).toMatchObject({ is_disabled: true, disabled_reason: 'sync error' })
    await enable(world, { accept_deletions: true })
    expect(await world.run()).toMatchObject({ outcome: 'applied', applied: run.applied })
  })

  it('begins the next run after the rewind if it was enabled during the rewind', async () => {
    const world = await newRewindWorld()
    const run = await world.lose()
    await rewindOwners(world, run.id)
    await enable(world)
    const refused = await runsApi.idp.sync(world.account, world.id)
    expect([refused.status, refused.body.code]).toEqual([409, 'sync_running'])
    await world.step()
    expect(await world.last()).toMatchObject({ outcome: 'applied', rewinds: run.id })
    const [scheduled] = (await ownTable.items()).filter(
      (item) => item.kind === 'scheduled_sync' && item.source_id === world.id,
    )
    expect(String(scheduled?.next_at) <= new Date().toISOString()).toBe(true)
  })
})

describe('an interrupted rewind', () => {
  it.each([
    ['received', false],
    ['lost', true],
  ])(
    'loses and repeats nothing if the process dies at each write, with the last response %s (I4.1(2))',
    async (_, isResponseLost) => {
      const world = await newRewindWorld()
      const before = await world.state()
      const run = await world.lose()
      await runsApi.idp.rewind(world.account, world.id, run.id)
      // Resumes in a new process after each crash, and allows one more write each time.
      for (let writes = 1; (await world.last()).finished_at === null; writes++) {
        crashAfter(writes, { isResponseLost })
        await workOnRun(world.syncSource, world.source as never, Date.now() + 600_000).catch(() => undefined)
        vi.restoreAllMocks()
        vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
        // Moves the clock past the lease of the dead process, which lasts two minutes.
        movableClock().minutes(3)
      }
      const rewind = await world.last()
      expect(rewind).toMatchObject({ outcome: 'applied', skipped: {}, applied: rewind.planned })
      expect(await world.state()).toEqual(before)
      const changes = (await readCommits(world.account.id)).flatMap(({ run_id, changes }) =>
        changes.flatMap(({ object, after }) => (run_id === rewind.id ? [`${object} ${after?.id}`] : [])),
      )
      expect(changes.length).toBe(new Set(changes).size)
      await expectSound(world)
    },
  )

  it('has the same result with two schedulers at once and very short steps', async () => {
    const world = await newRewindWorld()
    const before = await world.state()
    const run = await world.lose()
    await runsApi.idp.rewind(world.account, world.id, run.id)
    for (let steps = 0; steps < 40 && (await world.last()).finished_at === null; steps++) {
      await Promise.all([world.step(1), world.step(1)])
    }
    const rewind = await world.last()
    expect(rewind).toMatchObject({ outcome: 'applied', applied: rewind.planned })
    expect(await world.state()).toEqual(before)
  })

  it('is cancelled when the account is disabled, and can be requested again; so can that of a cancelled run', async () => {
    const world = await newRewindWorld()
    const before = await world.state()
    const run = await world.lose()
    await rewindOwners(world, run.id)
    const account = await getRow(accounts, world.account.id, world.account.id)
    const row = await updateRow(world.account.id, accounts, account as never, { is_disabled: true })
    await world.step()
    expect(await world.last()).toMatchObject({
      outcome: 'cancelled',
      error: 'The directory was deleted, or its account was disabled, during the rewind.',
    })
    await updateRow(world.account.id, accounts, row, { is_disabled: false })
    // Marks the run as cancelled, because a cancelled run may have deleted rows.
    await writeTogether([put(runItem({ ...run, outcome: 'cancelled', phase: 'apply' }))])
    expect(await world.rewind(run.id)).toMatchObject({ outcome: 'applied', skipped: {} })
    expect(await world.state()).toEqual(before)
  })

  it('restores nothing that remains after the directory is deleted', async () => {
    const world = await newRewindWorld()
    const run = await world.lose()
    await rewindOwners(world, run.id)
    expect((await directoriesApi.idp.remove(world.account, world.id)).status).toBe(200)
    await world.step()
    await followUpAll(world.account.id)
    const { actors, groups, identities } = await world.state()
    expect([actors.filter((actor) => actor.created_by_directory_id), identities]).toEqual([[], []])
    expect(groups.filter(({ idp_id }) => idp_id)).toEqual([])
    await expectSound(world)
  })
})

describe('pending follow-up work of the deletion', () => {
  it('stops once its object is restored, even if redelivered, and the logs still verify', async () => {
    sealWorld()
    const world = await newRewindWorld()
    const { account, company } = world
    company.users = Array.from({ length: 70 }, (_, i) => ({ id: `p${i}`, email: `p${i}@example.com` }))
    company.groups = [{ id: 'staff', members: company.users.map(({ id }) => id) }]
    await world.runAll()
    const before = await world.state()
    const policy = await policyOf(world, world.policy.id)
    company.groups = []
    const run = await world.runAll()
    // Expects that the commit deleted only some of the memberships, and that the follow-up work for the others has not run.
    const left = (await readCommits(account.id)).at(-2)
    expect(left?.follow_ups).toMatchObject([{ below: 'groups' }])
    await rewindOwners(world, run.id)
    await followUpAll(account.id)
    await world.step()
    const rewind = await world.last()
    expect(rewind).toMatchObject({ outcome: 'applied', skipped: {} })
    expect(rewind.applied.memberships?.insert).toBeLessThan(70)
    expect(await world.state()).toEqual(before)
    expect(await policyOf(world, world.policy.id)).toMatchObject({ group_id: policy?.group_id })
    await followUpAll(account.id)
    const one = before.actors.find(({ email }) => email === 'p1@example.com')
    await finishFollowUp({ accountId: account.id, subject: null }, { below: 'actors', id: one?.id ?? '' }, 1_000)
    expect(await world.state()).toEqual(before)
    await expectSound(world)

    await writeChangeLogOf(account.id)
    const end = new Date(Date.now() + 60_000).toISOString()
    expect(await verifyChangeLog({ account_id: account.id, end })).toMatchObject({ damages: [] })
    await sealNow(account.id)
  })

  it('continues until its object is restored, and the rewind restores everything', async () => {
    const world = await newRewindWorld()
    const { account, company } = world
    company.users = Array.from({ length: 45 }, (_, i) => ({ id: `p${i}`, email: `p${i}@example.com` }))
    company.groups = [{ id: 'staff', members: company.users.map(({ id }) => id) }]
    await world.runAll()
    const before = await world.state()
    company.groups = []
    const run = await world.runAll()
    await runsApi.idp.rewind(account, world.id, run.id)
    // Crashes after the plan of the owners is written, before any owner is restored.
    crashAfter(3)
    await world.step().catch(() => undefined)
    vi.restoreAllMocks()
    expect(await world.last()).toMatchObject({ phase: 'apply', sections: { groups: 1 } })
    expect(await world.groupOf('staff')).toBe(undefined)
    await followUpAll(account.id)
    movableClock().minutes(3)
    vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
    await world.step()
    expect(await world.last()).toMatchObject({ outcome: 'applied', applied: { memberships: { insert: 45 } } })
    expect(await world.state()).toEqual(before)
  })
})

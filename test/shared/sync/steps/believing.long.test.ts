import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { ProviderFault } from '#shared/sync/adapter.ts'
import { directoryPlan } from '#shared/sync/directories/directory-plan.ts'
import { snapshotBounds } from '#shared/sync/directories/snapshot.ts'
import { listChanges } from '#shared/sync/runs/list-runs.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const people = Array.from({ length: 24 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))

async function loaded(): Promise<SyncWorld> {
  const world = await newSyncWorld()
  world.company.perPage = 100
  world.company.users = people
  world.company.groups = Array.from({ length: 12 }, (_, i) => ({ id: `g${i}`, members: [`u${i}`, `u${i + 1}`] }))
  await world.run()
  return world
}

async function untouched(world: SyncWorld, work: () => Promise<unknown>): Promise<void> {
  const before = await world.state()
  await work()
  expect(await world.state()).toEqual(before)
}

describe('an implausible snapshot changes nothing (I5)', () => {
  it('complaint 1, #9188, #9194: rejects an empty list of users', async () => {
    const world = await loaded()
    world.company.users = []
    await untouched(world, async () => {
      const run = await world.run()
      expect(run).toMatchObject({
        outcome: 'failed',
        error: 'The provider returned no users, although the directory has 24; nothing was changed.',
      })
    })
    expect(await world.row()).toMatchObject({ is_disabled: true, disabled_reason: 'sync error', error_count: 1 })
  })

  it('NetBird #4068: rejects a partial list of users while the provider still knows the others', async () => {
    const world = await loaded()
    world.company.users = people.slice(3)
    world.company.confirmed = ['u1']
    await untouched(world, async () => {
      expect(await world.run()).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/lacks 1 of 3 .* u1/) })
    })
    expect(world.company.calls.at(-1)).toBe('confirm 3')
  })

  it('confirms at most 200 of the absent people', async () => {
    const world = await newSyncWorld()
    world.company.perPage = 1000
    world.company.users = Array.from({ length: 410 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))
    await world.run()
    world.company.users = world.company.users.slice(201)
    await world.run()
    expect(world.company.calls.at(-1)).toBe('confirm 200')
  })

  it.each<[string, (world: SyncWorld) => void, string]>([
    [
      'identities',
      ({ company }) => (company.users = people.slice(13)),
      'Sync would delete 13 of 24 identities; nothing was changed.',
    ],
    [
      'groups',
      ({ company }) => (company.groups = [{ id: 'g0', members: ['u0', 'u1'] }]),
      'Sync would delete 11 of 12 groups; nothing was changed.',
    ],
    [
      'memberships',
      ({ company }) =>
        (company.groups = company.groups.map(({ id }, i) => ({ id, members: i < 5 ? [`u${i}`, `u${i + 1}`] : [] }))),
      'Sync would delete 14 of 24 memberships; nothing was changed.',
    ],
  ])('stops a run that would delete most %s, and lists its plan', async (_noun, change, error) => {
    const world = await loaded()
    change(world)
    await untouched(world, async () => expect(await world.run()).toMatchObject({ outcome: 'stopped', error }))
    expect(await world.row()).toMatchObject({ is_disabled: true, disabled_reason: 'sync error', error })
    const page = { limit: 100, cursor: null, filters: {}, binding: 'any' }
    const { data, metadata } = await listChanges(await world.last(), directoryPlan, page)
    expect(metadata.total).toBe(data.length)
    expect(data.filter((change) => change.change === 'delete').length).toBeGreaterThan(10)
  })

  it('lets only the next run pass after an administrator accepts deletions', async () => {
    const world = await loaded()
    world.company.users = people.slice(13)
    await world.run()
    const { body } = await directoriesApi.idp.update(world.account, world.id, {
      accept_deletions: true,
      is_disabled: false,
    })
    expect(body.data).toMatchObject({ is_disabled: false, error: null, error_count: 0 })
    expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { users: { delete: 13 } } })
    expect(await world.row()).toMatchObject({ accept_deletions: false, error: null })
    world.company.users = people.slice(23)
    expect((await world.run()).outcome).toBe('stopped')
  })

  it('shows the sentence of the brake in a preview, which changes neither account nor directory', async () => {
    const world = await loaded()
    await directoriesApi.idp.update(world.account, world.id, { is_disabled: true })
    const row = await world.row()
    world.company.users = people.slice(13)
    await untouched(world, async () => {
      const run = await world.run(true)
      expect(run).toMatchObject({
        outcome: 'previewed',
        error: expect.stringMatching(/13 of 24/),
        planned: { users: { delete: 13 } },
      })
    })
    expect(await world.row()).toEqual(row)
  })
})

describe('errors (I6)', () => {
  const failing = (world: SyncWorld, fault: () => ProviderFault, times = Number.POSITIVE_INFINITY) => {
    let left = times
    world.company.before = () => {
      if (left-- > 0) throw fault()
    }
  }

  it('retry: repeats a throttled call and continues', async () => {
    const world = await loaded()
    const waited = countWaiting()
    failing(world, () => new ProviderFault('retry', 'GET /users returned 429.', { retryAfterMs: 30_000 }), 3)
    expect((await world.run()).outcome).toBe('applied')
    expect(waited.ms).toBeGreaterThanOrEqual(90_000)
  })

  it('retry: turns transient after ten minutes of consecutive failures, even across steps', async () => {
    const world = await loaded()
    countWaiting()
    failing(world, () => new ProviderFault('retry', 'GET /users returned 503.', { retryAfterMs: 50_000 }))
    await world.begin()
    for (let steps = 0; steps < 20 && (await world.last()).finished_at === null; steps++) {
      world.connect()
      await workOnRun(world.syncSource, world.source as never, clock.monotonic() + 120_000)
      await clock.sleep(60_000)
    }
    expect(await world.last()).toMatchObject({ outcome: 'failed', error: 'GET /users returned 503.' })
    expect(await world.row()).toMatchObject({ is_disabled: false, error: 'GET /users returned 503.', error_count: 1 })
  })

  it('position_lost: restarts the list at most three times', async () => {
    const world = await loaded()
    world.company.perPage = 5
    world.company.users = [...people.slice(0, 2), { id: 'none', email: null }, ...people.slice(2)]
    const lost = () => new ProviderFault('position_lost', 'GET /users reported that the page has expired.')
    const at = (times: number) => {
      let left = times
      world.company.before = (call, position) => {
        if (call === 'users' && position !== null && left-- > 0) throw lost()
      }
    }
    const before = await world.state()
    at(3)
    expect(await world.run()).toMatchObject({
      outcome: 'applied',
      seen: { users: 24 },
      // Expects the person without an email to be counted once, although the list was read several times.
      skipped: { no_email: 1 },
      sections: { users: 0, absent: 0 },
    })
    expect(await world.state()).toEqual(before)
    at(4)
    expect((await world.run()).outcome).toBe('failed')
    expect(await world.row()).toMatchObject({ is_disabled: false, error_count: 1 })
  })

  it('fatal: Pomerium #567: disables the directory at once and stores the error as one sentence', async () => {
    const world = await loaded()
    failing(world, () => new ProviderFault('fatal', 'POST /token returned 401 invalid_client.'))
    expect((await world.run()).outcome).toBe('failed')
    expect(await world.row()).toMatchObject({
      is_disabled: true,
      disabled_reason: 'sync error',
      error: 'POST /token returned 401 invalid_client.',
      error_count: 1,
    })
  })

  it('transient: becomes fatal 24 hours after the first failure, unless a run succeeds', async () => {
    const world = await loaded()
    const fault = () => new ProviderFault('transient', 'GET /groups returned 400.')
    failing(world, fault)
    await world.run()
    const first = (await world.row()).first_failed_at
    expect(await world.row()).toMatchObject({ is_disabled: false, error_count: 1 })
    const later = async (hours: number) => {
      const row = await world.row()
      const since = new Date(Date.now() - hours * 3_600_000).toISOString().replace('Z', '000Z')
      await updateRow(world.account.id, directories.idp, row, { first_failed_at: since })
    }
    await later(23)
    await world.run()
    expect(await world.row()).toMatchObject({ is_disabled: false, error_count: 2 })
    expect(first).not.toBeNull()
    failing(world, fault, 0)
    const mailed = { error_mails: 2, error_emailed_at: '2026-01-01T09:00:00.000000Z' }
    await updateRow(world.account.id, directories.idp, await world.row(), mailed)
    await world.run()
    const good = { error: null, error_count: 0, error_emailed_at: null, first_failed_at: null, error_mails: 0 }
    expect(await world.row()).toMatchObject(good)
    failing(world, fault)
    await world.run()
    await later(25)
    await world.run()
    expect(await world.row()).toMatchObject({ is_disabled: true, disabled_reason: 'sync error', error_count: 2 })
  })

  it('own storage: ends the step, and the next one resumes; the directory is unchanged', async () => {
    const world = await loaded()
    const row = await world.row()
    world.company.users = people.slice(1)
    await world.begin()
    world.company.before = () => {
      throw Object.assign(new Error('The table does not answer.'), { name: 'TimeoutError' })
    }
    await expect(world.step()).rejects.toThrow('does not answer')
    expect([await world.row(), (await world.last()).finished_at]).toEqual([row, null])
    world.company.before = () => {}
    await world.step()
    expect(await world.last()).toMatchObject({ outcome: 'applied', applied: { users: { delete: 1 } } })
  })

  it('ends a run after 6 hours as transient', async () => {
    const world = await loaded()
    await world.begin()
    const later = Date.now() + 7 * 3_600_000
    vi.spyOn(Date, 'now').mockImplementation(() => later)
    await world.step()
    expect(await world.last()).toMatchObject({ outcome: 'failed', error: 'The run did not end within 6 hours.' })
    expect(await world.row()).toMatchObject({ is_disabled: false, error_count: 1 })
  })

  it('cancels a run whose directory is disabled or gets another connection', async () => {
    const world = await loaded()
    world.company.users = people.slice(2)
    world.company.before = async (call) => {
      if (call === 'confirm') await directoriesApi.idp.update(world.account, world.id, { is_disabled: true })
    }
    await untouched(world, async () => expect((await world.run()).outcome).toBe('cancelled'))
    await directoriesApi.idp.update(world.account, world.id, { is_disabled: false })
    world.company.before = async (call) => {
      if (call === 'confirm')
        await directoriesApi.idp.update(world.account, world.id, { idp_domain: 'moved.example.com' })
    }
    await untouched(world, async () => expect((await world.run()).outcome).toBe('cancelled'))
  })

  it('fatal: too many users for a snapshot (I4.7)', async () => {
    const world = await loaded()
    const { users } = snapshotBounds
    snapshotBounds.users = 20
    onTestFinished(() => {
      snapshotBounds.users = users
    })
    expect(await world.run()).toMatchObject({ outcome: 'failed', error: 'The directory has more than 20 users.' })
    expect((await world.row()).is_disabled).toBe(true)
  })
})

it('records the changes of a run in the change log, but not its bookkeeping (I4.7, L6.2)', async () => {
  const world = await loaded()
  const commits = await readCommits(world.account.id)
  const ofRuns = commits.filter(({ run_id }) => run_id !== undefined)
  expect(ofRuns.every(({ subject }) => subject === null)).toBe(true)
  const objects = new Set(ofRuns.flatMap(({ changes }) => changes.map(({ object }) => object)))
  expect(objects).toEqual(new Set(['actors', 'external_identities', 'groups', 'memberships']))
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { newSyncWorld, normalize, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const user = (i: number, fields = {}) => ({ id: `u${i}`, email: `u${i}@example.com`, ...fields })
const range = (count: number, from = 0) => Array.from({ length: count }, (_, i) => i + from)

/** Sets the company to version 0 or 1. A run from one version to the other makes every kind of change. */
function show(world: SyncWorld, state: number): void {
  const { company } = world
  company.perPage = 50
  company.users = range(12, state * 2).map((i) =>
    user(i, { active: i !== 5 + state, name: `Name ${i} ${i % (2 + state)}` }),
  )
  company.groups = [
    { id: 'all', name: `All ${state}`, members: range(12, state * 2).map((i) => `u${i}`) },
    { id: `only-${state}`, members: range(4, 3).map((i) => `u${i}`) },
    { id: 'nested', members: [{ group: 'all' }] },
  ]
}

async function reference(state: number) {
  const world = await newSyncWorld()
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
  show(world, 0)
  await world.run()
  if (state === 1) {
    show(world, 1)
    await world.run()
  }
  return normalize(await world.state())
}

describe.each([false, true])('a process that dies at any write, last response lost: %s', (isResponseLost) => {
  it('loses and repeats nothing (I4.1(2))', async () => {
    const expected = [await reference(0), await reference(1)]
    const world = await newSyncWorld()
    vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
    show(world, 0)
    await world.run()
    vi.restoreAllMocks()
    let state = 0
    let isThrough = false
    for (let writes = 1; !isThrough; writes++) {
      state = 1 - state
      show(world, state)
      await world.begin()
      world.connect()
      vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
      crashAfter(writes, { isResponseLost })
      isThrough = await workOnRun(world.syncSource, world.source as never, Date.now() + 600_000).then(
        () => true,
        () => false,
      )
      vi.restoreAllMocks()
      vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
      // Moves the clock past the lease of the dead process, which lasts two minutes.
      movableClock().minutes(3)
      if ((await world.last()).finished_at === null) await world.step()
      const run = await world.last()
      expect(run, `after ${writes} writes`).toMatchObject({ outcome: 'applied', applied: run.planned })
      expect(normalize(await world.state()), `after ${writes} writes`).toEqual(expected[state])
      vi.restoreAllMocks()
    }
    const changes = (await readCommits(world.account.id)).flatMap((commit) =>
      commit.changes.map(({ object, operation, after, before }) =>
        JSON.stringify([commit.run_id, object, operation, (after ?? before)?.id]),
      ),
    )
    expect(changes.length).toBe(new Set(changes).size)
  }, 300_000)
})

it('repeats nothing with several schedulers at once', async () => {
  const world = await newSyncWorld()
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
  show(world, 1)
  await world.begin()
  world.connect()
  const step = () => workOnRun(world.syncSource, world.source as never, Date.now() + 600_000)
  await Promise.all([step(), step(), step()])
  expect(await world.last()).toMatchObject({ outcome: 'applied' })
  expect(world.company.calls.filter((call) => call === 'groups')).toHaveLength(1)
})

it('has the same result with very short steps, and reads no list twice', async () => {
  const world = await newSyncWorld()
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
  show(world, 1)
  world.company.perPage = 3
  await world.begin()
  for (let steps = 0; steps < 200 && (await world.last()).finished_at === null; steps++) await world.step(1)
  expect(await world.last()).toMatchObject({ outcome: 'applied', seen: { users: 12, groups: 3 } })
  const direct = await newSyncWorld()
  show(direct, 1)
  await direct.run()
  expect(normalize(await world.state())).toEqual(normalize(await direct.state()))
})

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { ScheduledSync } from '#shared/domain/sync/sync-state.ts'
import { adapters } from '#shared/sync/providers/open.ts'
import { orderFairly, runDue } from '#shared/sync/steps/run-due.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { ScriptedDirectory } from '#test/support/sync/scripted-directory.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  ownTable = await useOwnTable()
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => ownTable.end())

function connect(companies: Map<string, ScriptedDirectory>) {
  vi.spyOn(adapters, 'directory').mockImplementation(async (_, { account_id }) => {
    const company = companies.get(account_id)
    if (!company) throw new Error('A directory of another test.')
    return company.adapter
  })
}

function slowCompany() {
  const company = new ScriptedDirectory()
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  company.users = [{ id: 'u1', email: 'one@example.com' }]
  company.before = () => promise
  return { company, answer }
}

const openRuns = (world: SyncWorld) => queryItems(partition(world.account.id, 'sync.open'))

it('does not let slow directories of one account delay another account', async () => {
  const first = await newSyncWorld()
  const slow = [first, await newSyncWorld('suite', first.account), await newSyncWorld('tenant', first.account)]
  const quick = await newSyncWorld()
  quick.company.users = [{ id: 'u1', email: 'one@example.com' }]
  const { company, answer } = slowCompany()
  connect(
    new Map([
      [first.account.id, company],
      [quick.account.id, quick.company],
    ]),
  )
  const due = runDue(Date.now() + 60_000)
  try {
    await vi.waitFor(
      async () => expect(await quick.last().catch(() => null)).toMatchObject({ outcome: 'applied' }),
      20_000,
    )
    expect(company.calls).toEqual(['users', 'users'])
    expect(await openRuns(first)).toHaveLength(2)
    // Invokes the scheduler again, and expects that it does not start a third run for the account.
    await runDue(Date.now() + 60_000)
    expect(await openRuns(first)).toHaveLength(2)
  } finally {
    answer()
    await due
  }
  await runDue(Date.now() + 60_000)
  for (const world of slow) expect(await world.last()).toMatchObject({ outcome: 'applied' })
})

it('works on the two oldest runs of an account', async () => {
  const first = await newSyncWorld()
  const worlds = [first, await newSyncWorld('suite', first.account), await newSyncWorld('tenant', first.account)]
  for (const world of worlds) await world.begin()
  const { company, answer } = slowCompany()
  connect(new Map([[first.account.id, company]]))
  const due = runDue(Date.now() + 60_000)
  try {
    await vi.waitFor(() => expect(company.calls).toHaveLength(2), 20_000)
    await runDue(Date.now() + 60_000)
    expect(company.calls).toEqual(['users', 'users'])
    expect((await worlds[2]?.open())?.owner).toBe(null)
  } finally {
    answer()
    await due
  }
  await runDue(Date.now() + 60_000)
  for (const world of worlds) expect(await world.last()).toMatchObject({ outcome: 'applied' })
})

it('orders runs by the last step of their accounts, with one run per account in each round', () => {
  const scheduledSync = (account_id: string, source_id: string, next_at: string): ScheduledSync => ({
    pk: 'p',
    sk: source_id,
    account_id,
    collection: 'idp_directories',
    source_id,
    next_at,
  })
  const syncs = [
    scheduledSync('a', 'a2', '2'),
    scheduledSync('a', 'a1', '1'),
    scheduledSync('b', 'b1', '3'),
    scheduledSync('c', 'c1', '4'),
  ]
  const order = orderFairly(
    syncs,
    new Map([
      ['a', '2026-01-01T00:12'],
      ['b', '2026-01-01T00:05'],
    ]),
  )
  expect(order.map(({ source_id }) => source_id)).toEqual(['c1', 'b1', 'a1', 'a2'])
})

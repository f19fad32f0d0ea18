import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { directories } from '#shared/domain/directories/directory.ts'
import { scheduledSyncItem, scheduledSyncKey } from '#shared/domain/sync/sync-state.ts'
import { readRun, runsPartition } from '#shared/sync/runs/run-store.ts'
import { runDue } from '#shared/sync/steps/run-due.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { newSyncWorld, type SyncWorld } from '#test/support/sync/sync-runs.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  ownTable = await useOwnTable()
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => ownTable.end())

const past = '2026-01-01T00:00:00.000000Z'

it('postpones a source that may not run, unless a run is requested at the same time', async () => {
  const world = await newSyncWorld()
  await updateRow(world.account.id, directories.idp, await world.row(), { is_disabled: true })
  const nextAt = async () => (await getItem(scheduledSyncKey(world.syncSource)))?.next_at
  const due = (at: string) => writeTogether([put(scheduledSyncItem(world.syncSource, at))])
  const run = () => runDue(Date.now() + 60_000)
  await due(past)
  await run()
  expect(String(await nextAt()) > past).toBe(true)
  await due(past)
  const requestedAt = '2026-01-01T00:01:00.000000Z'
  let isRequested = false
  interceptTable(async (command, send) => {
    const isPostponing = command instanceof TransactWriteCommand && !isRequested
    if (isPostponing) {
      isRequested = true
      await due(requestedAt)
    }
    return send(command)
  })
  await run()
  expect(await nextAt()).toBe(requestedAt)
})

it.each<[string, () => Promise<Pick<SyncWorld, 'begin' | 'open' | 'syncSource'> & { remove(): Promise<unknown> }>]>([
  [
    'a directory',
    async () => {
      const world = await newSyncWorld()
      return { ...world, remove: () => directoriesApi.idp.remove(world.account, world.id) }
    },
  ],
  [
    'a posture provider',
    async () => {
      const world = await newInventoryWorld()
      return { ...world, remove: () => postureProvidersApi.remove(world.account, world.id) }
    },
  ],
])('%s that is deleted while its run waits for a step leaves neither an open run nor a schedule', async (_, made) => {
  const world = await made()
  const { id } = await world.begin()
  expect(await world.remove()).toMatchObject({ status: 200 })
  expect(await world.open()).toMatchObject({ run_id: id })
  const run = () => runDue(Date.now() + 60_000)
  await run()
  expect(await world.open()).toBe(undefined)
  const { account_id, source_id } = world.syncSource
  expect(await readRun(account_id, source_id, id)).toMatchObject({ outcome: 'cancelled' })
  await run()
  expect(await getItem(scheduledSyncKey(world.syncSource))).toBe(undefined)
})

it.each<[string, () => Promise<Pick<SyncWorld, 'syncSource' | 'connect'>>]>([
  ['directory', () => newSyncWorld()],
  ['device inventory', () => newInventoryWorld()],
])('begins one run if two schedulers find the same %s due', async (_, made) => {
  const { syncSource, connect } = await made()
  connect()
  const run = () => runDue(Date.now() + 60_000)
  // Runs two other schedulers to completion after the first one has read the due sources.
  let others: Promise<unknown> | undefined
  interceptTable(async (command, send) => {
    const looks = JSON.stringify(command.input).includes(`${syncSource.account_id}#sync.open`)
    if (looks && !others) {
      others = Promise.resolve()
      await Promise.all([run(), run()])
    }
    return send(command)
  })
  await run()
  const runs = await queryItems(runsPartition(syncSource.account_id, syncSource.source_id))
  expect(runs).toMatchObject([{ outcome: 'applied' }])
})

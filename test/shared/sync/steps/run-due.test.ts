import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { directories } from '#shared/domain/directories/directory.ts'
import { syncTurnItem, syncTurnKey } from '#shared/domain/sync/sync-turn.ts'
import { runDue } from '#shared/sync/steps/run-due.ts'
import { table } from '#shared/table/client.ts'
import { DeleteCommand, UpdateCommand } from '#shared/table/commands.ts'
import { getItem } from '#shared/table/read.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'
import { useOwnTable } from '#test/support/own-table.ts'
import { updateRow } from '#test/support/rows.ts'
import { newSyncWorld } from '#test/support/sync-runs.ts'

let own: Awaited<ReturnType<typeof useOwnTable>>
beforeAll(async () => {
  own = await useOwnTable()
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => own.end())

const past = '2026-01-01T00:00:00.000000Z'

it('puts off what may not run, unless a run was asked for while it looked', async () => {
  const world = await newSyncWorld()
  await updateRow(world.account.id, directories.idp, await world.row(), { is_disabled: true })
  const turn = async () => (await getItem(syncTurnKey(world.synced)))?.next_at
  const due = (at: string) => writeTogether([put(syncTurnItem(world.synced, at))])
  const run = () => runDue(Date.now() + 60_000)
  await due(past)
  await run()
  expect(String(await turn()) > past).toBe(true)
  await due(past)
  const send = table().send.bind(table())
  const asked = '2026-01-01T00:01:00.000000Z'
  vi.spyOn(table(), 'send').mockImplementation(async (command) => {
    const isPostponing = command instanceof UpdateCommand || command instanceof DeleteCommand
    if (isPostponing && (await turn()) === past) await due(asked)
    return send(command)
  })
  await run()
  expect(await turn()).toBe(asked)
})

import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { clock, hourMicros, hourStart } from '#shared/core/clock.ts'
import { readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { rowEntry } from '#shared/logs/files/entry-rows.ts'
import { getLog } from '#shared/logs/query-logs.ts'
import { flushFlows } from '#test/support/logs/archive.ts'
import { openFlowIds } from '#test/support/logs/flow-account.ts'
import { histories, replayHistory } from '#test/support/logs/flow-histories.ts'
import type { FlowModel } from '#test/support/logs/flow-model.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const readEntry = async (account: string, id: string) => (await getLog(account, id)).data

/** Expects each flow of the model where the flush puts it, with the entry that the service returned before the flush. */
async function expectArchive(
  account: string,
  { stored, flows }: FlowModel,
  before: Map<string, unknown>,
): Promise<void> {
  const watermark = (await readArchiveState(account))?.watermark ?? 0
  const { rows } = await readArchiveOf(account)
  const filed = flows.filter(({ closedAt }) => closedAt !== null && closedAt < watermark)
  expect(rows.flow.map(({ id, hour }) => [id, hour]).sort()).toEqual(
    filed.map(({ id, closedAt }) => [id, hourStart(closedAt ?? 0)]).sort(),
  )
  const open = flows.filter(
    ({ storedAt, closedAt }) => storedAt < watermark && (closedAt === null || closedAt >= watermark),
  )
  expect(await openFlowIds(account)).toEqual(open.map(({ id }) => id).sort())
  for (const { row, id } of rows.flow) {
    expect(rowEntry('flow', row)).toEqual(before.get(id))
    expect(row.stored_at).toBe(stored.get(id)?.closedAt)
  }
  for (const { id } of flows) expect(await readEntry(account, id)).toEqual(before.get(id))
}

it('keeps every flow in exactly one place, for any reports and any flushes', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      /** Entries of the flows when their last reports were stored. */
      const entries = new Map<string, unknown>()
      const { account, model, now, searchAll } = await replayHistory(history, {
        async before({ account, now }, end) {
          // Flushes at least every six days, because blocks and the open set expire after 14 days (R2.5).
          for (let day = clock.now() + 144 * hourMicros; day < end; day += 144 * hourMicros) {
            now.mockReturnValue(day)
            await flushFlows(account.id)
          }
        },
        async after({ account }, ids) {
          for (const id of ids) entries.set(id, await readEntry(account.id, id))
          await flushFlows(account.id)
        },
      })
      await expectArchive(account.id, model, entries)
      // Makes the hours of all reports due.
      now.mockReturnValue(clock.now() + 2 * hourMicros)
      await flushFlows(account.id)
      await expectArchive(account.id, model, entries)
      await searchAll()
    }),
    { numRuns: 2, endOnFailure: true },
  )
})

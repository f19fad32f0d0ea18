import fc from 'fast-check'
import { afterEach, it, vi } from 'vitest'
import { histories, replayHistory } from '#test/support/logs/flow-histories.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('lists exactly the flows that overlap a window, for any reports in any order', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await replayHistory(history)
    }),
    { numRuns: 3, endOnFailure: true },
  )
})

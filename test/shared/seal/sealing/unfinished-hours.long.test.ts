import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, onTestFinished, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { SealConflict } from '#shared/seal/log/seal-damage.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'
import { newSettledHour } from '#test/support/seal/settled-hour.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

/** Creates runs that have time for 1,000 entries or for all entries. Each run calls `ahead` before it stores the progress of an hour. */
function runsOf(account: string) {
  const now = clock.monotonic
  const runs = { ahead: async (_size: unknown) => {} }
  let [isShort, late] = [false, 0]
  const spies = [
    vi.spyOn(clock, 'monotonic').mockImplementation(() => now() + late),
    interceptTable(async (command, send) => {
      if (command instanceof PutCommand && command.input.Item?.kind === 'seal_hour') {
        await runs.ahead(command.input.Item.size)
      }
      const answer = (await send(command)) as { Items?: unknown[] }
      if (isShort && (answer.Items?.length ?? 0) >= 1_000) late = 60_000
      return answer
    }),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  const seal = (short: boolean) => {
    ;[isShort, late] = [short, 0]
    return sealNow(account, 'activity', now() + 60_000)
  }
  return Object.assign(runs, { seal })
}

it('resumes an hour that one run has no time to finish', async () => {
  const { account, state } = await newSettledHour(1_200)
  const { seal } = runsOf(account)
  await seal(true)
  expect(await state()).toMatchObject({ size: 1_000 })
  expect(await state()).not.toHaveProperty('root')
  await seal(false)
  expect(await state()).toMatchObject({ size: 1_200, root: expect.any(String) })
})

it.each([
  ['for which the next run has made more progress', 2_100, [true, true], { size: 2_000 }],
  ['that the next run has sealed with more entries', 1_200, [false], { size: 1_200, root: expect.any(String) }],
  ['that the next run has sealed with as many entries', 1_000, [false], { size: 1_000, root: expect.any(String) }],
])('leaves an unfinished hour %s to that run', async (_what, count, others, expected) => {
  const { account, state } = await newSettledHour(count)
  const runs = runsOf(account)
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  runs.ahead = async (size) => {
    if (size !== 1_000) return
    runs.ahead = async () => {}
    reached.resolve()
    await released.promise
  }
  const late = runs.seal(true).catch((error) => error)
  await reached.promise
  advanceMinutes(6)
  for (const short of others) await runs.seal(short)
  const before = await state()
  expect(before).toMatchObject(expected)
  released.resolve()
  expect(await late).toBeInstanceOf(SealConflict)
  expect(await state()).toEqual(before)
})

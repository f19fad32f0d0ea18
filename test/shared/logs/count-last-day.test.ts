import { afterEach, expect, it, vi } from 'vitest'
import { clock, hourMicros } from '#shared/core/clock.ts'
import { countLastDay } from '#shared/logs/count-last-day.ts'
import { readHistogram } from '#shared/logs/traffic-answers.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const at = simulatedDay() + 20 * hourMicros
const minute = 60_000_000
const countAt = (account: string, now: number) => {
  setClock(now)
  return countLastDay(account, clock.now())
}

it('counts what the histogram counts, when all reports are flushed', async () => {
  const { account, store, flush } = await newFlowAccount()
  const start = at - 5 * hourMicros
  const flows = [1, 2, 3].map((inner_src_port) =>
    flowReport(start + inner_src_port * 1_000_000, { end: start + minute, inner_src_port }),
  )
  await store(start + 2 * minute, ...flows)
  await store(start + 3 * minute, flowReport(start + 2 * minute, { inner_src_port: 4 }))
  await store(start + 4 * minute, flowReport(at - 30 * hourMicros, { end: start, inner_src_port: 5 }))
  expect((await countAt(account, start + 5 * minute)).exact).toBe(false)
  for (let hour = start + hourMicros; hour <= at; hour += hourMicros) await flush(hour + 10 * minute)
  const counted = await countAt(account, at + 20 * minute)
  expect(counted).toEqual({ responder: 0, initiator: 4, exact: true })
  const { hours } = (await readHistogram(account, new URLSearchParams())).data
  expect(hours.reduce((sum, { flows: some }) => sum + some, 0)).toBe(4)
  await store(at + 25 * minute, flowReport(at + 24 * minute, { inner_src_port: 6 }))
  expect(await countAt(account, at + 26 * minute)).toEqual({ ...counted, exact: false })
  // The window moves with the clock.
  expect((await countAt(account, at + 30 * hourMicros)).initiator).toBe(0)
})

it('reads few units, however many reports are not flushed and however many flows are open', async () => {
  const { account, store, flush } = await newFlowAccount()
  for (let i = 0; i < 12; i++) {
    const open = Array.from({ length: 400 }, (_, j) =>
      flowReport(at + i * minute + j, { inner_src_port: 1 + i * 400 + j }),
    )
    await store(at + i * minute + 1_000, ...open)
  }
  const unitsAt = async (now: number) => {
    let exact = true
    const { reads } = await measure(async () => {
      exact = (await countAt(account, now)).exact
    })
    return { reads, exact }
  }
  const before = await unitsAt(at + 30 * minute)
  expect(before.exact).toBe(false)
  expect(before.reads).toBeLessThanOrEqual(6)
  await flush(at + hourMicros + 10 * minute)
  expect((await unitsAt(at + hourMicros + 20 * minute)).reads).toBeLessThanOrEqual(20)
})

import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { ProviderFault } from '#shared/sync/adapter.ts'
import type { RequestPace } from '#shared/sync/providers/call.ts'
import { requestPace } from '#shared/sync/providers/pace.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const call = (path = '/api/v1/users', cost?: number) => ({ url: new URL(`https://example.com${path}`), cost })
const answer = (headers = {}) => ({ status: 200, headers: new Headers(headers), json: {}, secrets: [] })

function ownTime() {
  let now = 1_000_000
  vi.spyOn(clock, 'monotonic').mockImplementation(() => now)
  vi.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
    now += ms
  })
  return { now: () => now, pass: (ms: number) => (now += ms) }
}

/** Waits until a call may be sent. After each refusal, waits for the required time. */
async function waitAndSend(pace: RequestPace, time: ReturnType<typeof ownTime>, cost: number): Promise<void> {
  for (;;) {
    try {
      return await pace.wait(call(undefined, cost))
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error
      expect(error.faultClass).toBe('retry')
      time.pass(error.retryAfterMs ?? 0)
    }
  }
}

it('never exceeds the burst plus the rate in any interval', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ cost: fc.integer({ min: 1, max: 5 }), pause: fc.nat({ max: 3_000 }) }), { maxLength: 120 }),
      fc.integer({ min: 1, max: 20 }),
      async (calls, perSecond) => {
        const time = ownTime()
        const burst = 10
        const pace = requestPace({ perSecond, burst })
        const sent: { at: number; cost: number }[] = []
        for (const { cost, pause } of calls) {
          time.pass(pause)
          await waitAndSend(pace, time, cost)
          sent.push({ at: time.now(), cost })
        }
        for (const [from, { at: begin }] of sent.entries()) {
          let units = 0
          for (const { at, cost } of sent.slice(from)) {
            units += cost
            expect(units).toBeLessThanOrEqual(burst + (perSecond * (at - begin + 1)) / 1_000 + 5)
          }
        }
      },
    ),
    { numRuns: 50 },
  )
})

it('does not wait below the limit, and throws instead of sleeping for long', async () => {
  const time = ownTime()
  const pace = requestPace({ perSecond: 0.1, burst: 2 })
  const start = time.now()
  await pace.wait(call())
  await pace.wait(call())
  expect(time.now()).toBe(start)
  await expect(pace.wait(call())).rejects.toMatchObject({ faultClass: 'retry', retryAfterMs: 10_000 })
  // Expects that a refused call has used no capacity.
  await expect(pace.wait(call())).rejects.toMatchObject({ retryAfterMs: 10_000 })
  time.pass(10_000)
  await pace.wait(call())
})

it('holds back only the bucket whose responses require it', async () => {
  const time = ownTime()
  const pace = requestPace(
    { perSecond: 1_000, burst: 10 },
    ({ headers }) => Number(headers.get('hold') ?? 0),
    ({ url }) => url.pathname,
  )
  pace.record(call('/a'), answer({ hold: '60000' }))
  await expect(pace.wait(call('/a'))).rejects.toMatchObject({ faultClass: 'retry', retryAfterMs: 60_000 })
  const start = time.now()
  await pace.wait(call('/b'))
  expect(time.now()).toBe(start)
  time.pass(58_000)
  await pace.wait(call('/a'))
  expect(time.now()).toBe(start + 60_000)
})

import { afterEach, expect, it, vi } from 'vitest'
import { Retries } from '#shared/core/aws/retries.ts'
import { clock } from '#shared/core/clock.ts'

afterEach(() => vi.restoreAllMocks())

/** Returns the delays before the retries of each request, in milliseconds. */
async function waits(
  name: string,
  failures: number,
  requests: number,
  $metadata = { httpStatusCode: name.startsWith('Internal') ? 500 : 400 },
): Promise<number[][]> {
  const all: number[][] = []
  vi.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
    all.at(-1)?.push(ms)
  })
  for (let i = 0; i < requests; i++) {
    all.push([])
    const retries = new Retries()
    let attempt = await retries.acquireInitialRetryToken()
    const error = Object.assign(new Error(), { name, $metadata })
    for (let tried = 0; tried < failures; tried++)
      attempt = await retries.refreshRetryTokenForRetry(attempt, { error: error as never, errorType: 'TRANSIENT' })
    retries.recordSuccess(attempt)
  }
  return all
}

it.each([
  ['TransactionConflictException', 10, 500],
  ['ThrottlingException', 50, 2_000],
  ['InternalServerError', 25, 1_000],
])('%s causes exponential backoff with full jitter, which separates concurrent requests', async (name, first, max) => {
  const attempts = 8
  const waited = await waits(name, attempts, 300)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const span = Math.min(max, first * 2 ** attempt)
    const parts = waited.map((ms) => (ms[attempt] ?? -1) / span)
    expect(Math.max(...parts)).toBeLessThanOrEqual(1)
    // Expects delays in each tenth of the range, because the delays must be distributed evenly.
    for (let tenth = 0; tenth < 10; tenth++) {
      const inTenth = parts.filter((part) => Math.min(9, Math.floor(part * 10)) === tenth).length
      expect(inTenth, `attempt ${attempt}, tenth ${tenth}`).toBeGreaterThan(5)
    }
  }
})

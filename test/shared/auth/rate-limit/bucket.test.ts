import { afterEach, expect, it, vi } from 'vitest'
import { sourceBucket } from '#shared/auth/rate-limit/bucket.ts'

afterEach(() => vi.unstubAllEnvs())

const sizes = () =>
  (['start', 'page'] as const).map((step) => {
    const { capacity, refill } = sourceBucket('192.0.2.1', step)
    return [capacity, refill]
  })

it('admits the configured number of people behind one address at once, and refills no faster (A9)', () => {
  vi.stubEnv('SIGN_IN_BURST', '')
  expect(sizes()).toEqual([
    [20, 1],
    [100, 5],
  ])
  vi.stubEnv('SIGN_IN_BURST', '500')
  expect(sizes()).toEqual([
    [500, 1],
    [2_500, 5],
  ])
})

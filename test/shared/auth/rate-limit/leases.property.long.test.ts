import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Bucket } from '#shared/auth/rate-limit/bucket.ts'
import { bucketKey } from '#shared/auth/rate-limit/bucket-item.ts'
import { LeaseHolder } from '#shared/auth/rate-limit/lease-holder.ts'
import { getItem } from '#shared/table/read.ts'

const second = 1_000_000
const start = Date.UTC(2026, 0, 1) * 1000

/**
 * Step of a test: `count` requests, then a pause in microseconds. One process serves all requests, or all processes take turns (`spread`).
 */
type Step = { count: number; pause: number; process: number | 'spread' }

const steps = fc.array(
  fc.record({
    count: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.integer({ min: 10, max: 60 })),
    pause: fc.oneof(fc.integer({ min: 0, max: second }), fc.integer({ min: 0, max: 15 * second })),
    process: fc.oneof(fc.nat(), fc.constant('spread' as const)),
  }),
  { minLength: 30, maxLength: 40 },
)
const sizes = fc.constantFrom(
  { capacity: 1, refill: 0.5, lease: 1 },
  { capacity: 3, refill: 1, lease: 3 },
  { capacity: 51, refill: 10, lease: 5 },
  { capacity: 50, refill: 10, lease: 5 },
  { capacity: 500, refill: 50, lease: 10 },
)
const bucketOf = (size: Pick<Bucket, 'capacity' | 'refill' | 'lease'>): Bucket => ({
  name: 'account',
  accountId: crypto.randomUUID(),
  owner: 'account',
  ...size,
})

/** Creates processes that share the test's clock. Each process reads the clock with its own skew, in microseconds. */
function processes(skews: number[]) {
  let time = start
  const holders = skews.map((skew) => new LeaseHolder(() => time + skew))
  const grants: number[] = []
  return {
    grants,
    pass: (micros: number) => {
      time += micros
    },
    /** Requests a unit. Returns the reported remaining units, or null if the request is refused. */
    async ask(bucket: Bucket, process: number): Promise<number | null> {
      try {
        const { ratelimit } = await (holders[process % holders.length] as LeaseHolder).takeUnit(bucket)
        grants.push(time)
        return Number(/r=(\d+)/.exec(ratelimit as string)?.[1])
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited' })
        return null
      }
    },
  }
}

/** Returns the largest number by which the grants exceed capacity plus refill, over all time windows between two grants. */
function excess({ capacity, refill }: Bucket, grants: number[]): number {
  let least = Number.POSITIVE_INFINITY
  let worst = Number.NEGATIVE_INFINITY
  for (const [i, time] of grants.entries()) {
    const above = i - (refill * (time - start)) / second
    least = Math.min(least, above)
    worst = Math.max(worst, above - least + 1 - capacity)
  }
  return worst
}

async function run(bucket: Bucket, skews: number[], requests: Step[]): Promise<number[]> {
  const { ask, pass, grants } = processes(skews)
  for (const { count, pause, process } of requests) {
    await Promise.all(Array.from({ length: count }, (_, i) => ask(bucket, process === 'spread' ? i : process)))
    pass(pause)
  }
  return grants
}

describe('leases of several processes', () => {
  it('never admit more than the capacity and the refill of the time', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 8 }), steps, async (size, count, requests) => {
        const bucket = bucketOf(size)
        const grants = await run(bucket, Array<number>(count).fill(0), requests)
        expect(excess(bucket, grants)).toBeLessThanOrEqual(1e-6)
      }),
      { numRuns: 10 },
    )
  })

  it('exceed that by at most the refill of the clock skew', { timeout: 300_000 }, async () => {
    const skews = fc.array(fc.integer({ min: -second, max: second }), { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(sizes, skews, steps, async (size, offs, requests) => {
        const bucket = bucketOf(size)
        const grants = await run(bucket, offs, requests)
        const apart = (Math.max(...offs) - Math.min(...offs)) / second
        expect(excess(bucket, grants)).toBeLessThanOrEqual(bucket.refill * apart + 1e-6)
      }),
      { numRuns: 10 },
    )
  })

  it('do not add leased units to a bucket that has refilled meanwhile', async () => {
    for (const wait of [4.99, 5.01]) {
      const bucket = bucketOf({ capacity: 50, refill: 10, lease: 5 })
      const { ask, pass, grants } = processes([0, 0])
      // Leaves three of the five units in the last lease of the process.
      for (let i = 0; i < 9; i++) await ask(bucket, 0)
      pass(4.98 * second)
      for (let i = 0; i < 3; i++) await ask(bucket, 0)
      pass((wait - 4.98) * second)
      for (let i = 0; i < 60; i++) await ask(bucket, 1)
      expect(excess(bucket, grants)).toBeLessThanOrEqual(1e-6)
      expect(grants.length).toBeGreaterThan(55)
    }
  })

  it('never refuse a caller at half the refill rate, served by any processes', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.constantFrom(1, 3, 20, 150), fc.infiniteStream(fc.nat()), async (size, count, who) => {
        const bucket = bucketOf(size)
        const { ask, pass } = processes(Array<number>(count).fill(0))
        for (let i = 0; i < 200; i++) {
          expect(await ask(bucket, who.next().value as number)).not.toBeNull()
          pass((2 / bucket.refill) * second)
        }
      }),
      { numRuns: 10 },
    )
  })

  it('grant the whole capacity to a burst over many processes', async () => {
    const bucket = bucketOf({ capacity: 200, refill: 20, lease: 10 })
    const { ask, grants } = processes(Array<number>(30).fill(0))
    for (let i = 0; i < 420; i++) await ask(bucket, i)
    expect(grants).toHaveLength(200)
  })

  it('keep the item of a shared bucket below 1 KB', async () => {
    const bucket = bucketOf({ capacity: 100_000, refill: 10_000, lease: 2_000 })
    const { ask } = processes(Array<number>(60).fill(0))
    for (let i = 0; i < 300; i++) await ask(bucket, i)
    const item = await getItem(bucketKey(bucket))
    expect(Object.keys(item?.leases as object)).toHaveLength(20)
    expect(JSON.stringify(item).length).toBeLessThan(1_024)
  })
})

describe('the header', () => {
  it('of a single caller is exactly what a burst then gets', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(sizes, steps, async (size, requests) => {
        const bucket = bucketOf(size)
        const { ask, pass } = processes([0])
        for (const { count, pause } of requests.slice(0, 12)) {
          let remaining: number | null = null
          for (let i = 0; i < count; i++) {
            const left = await ask(bucket, 0)
            if (remaining !== null) expect(left).toBe(remaining === 0 ? null : remaining - 1)
            remaining = left ?? 0
          }
          pass(pause)
        }
      }),
      { numRuns: 10 },
    )
  })

  it('of one process reports no more than the other processes leave', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(sizes, steps, async (size, requests) => {
        const bucket = bucketOf(size)
        const { ask, pass } = processes([0, 0, 0, 0])
        for (const { count, pause, process } of requests.slice(0, 12)) {
          for (let i = 0; i < count; i++) await ask(bucket, process === 'spread' ? i : process)
          pass(pause)
        }
        // Pauses for the duration of a lease, so that the process reads the bucket again.
        pass(5 * second)
        const remaining = (await ask(bucket, 0)) ?? 0
        for (let i = 0; i < remaining; i++) expect(await ask(bucket, 0)).not.toBeNull()
      }),
      { numRuns: 10 },
    )
  })
})

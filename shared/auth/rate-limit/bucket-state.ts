import type { Bucket } from './bucket.ts'

/** Units that a process may use until an instant, which nobody else may. */
type Lease = { units: number; until: number }

/**
 * A bucket as its item has it. Without leases it is full again at `fullAt` if nothing more is taken (the arrival time of a
 * leaky bucket, in microseconds); units on lease are missing in it until they are back.
 */
export type BucketState = { fullAt: number; leases: ReadonlyMap<string, Lease> }

export const fullBucket: BucketState = { fullAt: 0, leases: new Map() }

/** More leases would make the item larger than 1 KB. */
const maxLeases = 20

export const microsPerUnit = ({ refill }: Bucket): number => 1_000_000 / refill

const unitsOut = ({ leases }: BucketState): number => [...leases.values()].reduce((sum, { units }) => sum + units, 0)

/**
 * The state at an instant, without the leases that have ended. Nobody knows when a lease was used, so it counts as used at
 * its end: the bucket refills from then on. This way bucket and leases together never hold more than the capacity.
 */
export function stateAt(bucket: Bucket, state: BucketState, now: number): BucketState {
  const cost = microsPerUnit(bucket)
  const leases = new Map(state.leases)
  let { fullAt } = state
  let out = unitsOut(state)
  for (const [id, { units, until }] of [...leases].sort(([, a], [, b]) => a.until - b.until)) {
    if (until > now) break
    fullAt = Math.max(fullAt, until + out * cost)
    out -= units
    leases.delete(id)
  }
  return { fullAt: Math.max(fullAt, now + out * cost), leases }
}

/** From when on the bucket is full, with nothing on lease, if nothing more is taken. */
export function settledAt(bucket: Bucket, state: BucketState): number {
  const end = Math.max(0, ...[...state.leases.values()].map(({ until }) => until))
  return stateAt(bucket, state, end).fullAt
}

/** Units that can be taken at an instant, of the state at that instant. */
export const unitsAt = (bucket: Bucket, { fullAt }: BucketState, now: number): number =>
  Math.min(bucket.capacity, Math.floor(bucket.capacity - Math.max(0, fullAt - now) / microsPerUnit(bucket)))

/**
 * The units that a process gets when it asks. The more of the bucket is used or leased, the fewer, so that many processes
 * can share it. A single unit is used at once and is no lease; an empty bucket gives none.
 */
export function unitsFor(bucket: Bucket, state: BucketState, wanted: number, now: number): number {
  const free = unitsAt(bucket, state, now)
  const spare = Math.min(free, bucket.capacity / 2 - unitsOut(state))
  const share = state.leases.size < maxLeases ? Math.floor(spare / 4) : 1
  return Math.max(0, Math.min(free, bucket.lease, wanted, Math.max(1, share)))
}

import { changeItem } from '../../table/change-item.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import type { Bucket } from './bucket.ts'

/** Bucket as a process last read or wrote it. `storedFullAt` is the `full_at` of the stored item. */
export type StoredBucket = { state: BucketState; storedFullAt: number }

type Attributes = { full_at: number; leases?: Record<string, [units: number, until: number]> }

export const bucketKey = ({ accountId, owner }: Bucket): Key => ({
  pk: partition(accountId, `rate.${owner}`),
  sk: 'rate',
})

export async function readBucket(bucket: Bucket): Promise<StoredBucket> {
  const item = (await getItem(bucketKey(bucket))) as Attributes | undefined
  if (!item) return { state: fullBucket, storedFullAt: 0 }
  const leases = new Map(Object.entries(item.leases ?? {}).map(([id, [units, until]]) => [id, { units, until }]))
  return { state: { fullAt: item.full_at, leases }, storedFullAt: item.full_at }
}

/**
 * Condition for writing a bucket. Every take advances `full_at`, so a changed `full_at` reveals a concurrent take. A full bucket can be
 * written without an earlier read.
 */
function conditionOn(
  bucket: Bucket,
  { state, storedFullAt }: StoredBucket,
  now: number,
): [condition: string, bound: number] {
  return settledAt(bucket, state) <= now
    ? [
        'attribute_not_exists(pk) OR (full_at <= :bound AND (attribute_not_exists(settled_at) OR settled_at <= :bound))',
        now,
      ]
    : ['full_at = :bound', storedFullAt]
}

/** Writes the next state of a bucket; null when the stored bucket differs from `stored`. */
export async function writeBucket(
  bucket: Bucket,
  stored: StoredBucket,
  { fullAt, leases }: BucketState,
  now: number,
): Promise<StoredBucket | null> {
  const [condition, bound] = conditionOn(bucket, stored, now)
  const next = { fullAt: Math.ceil(fullAt), leases }
  const settled = Math.ceil(settledAt(bucket, next))
  const written = await changeItem(bucketKey(bucket), {
    set: {
      full_at: next.fullAt,
      settled_at: settled,
      leases: Object.fromEntries([...leases].map(([id, { units, until }]) => [id, [units, until]])),
      kind: 'rate',
      ttl: Math.ceil(settled / 1_000_000) + 3600,
    },
    when: condition,
    values: { bound },
  })
  return written && { state: next, storedFullAt: next.fullAt }
}

type Lease = { units: number; until: number }

/** State of a leaky bucket. At `fullAt` (microseconds), all units except the leased ones are available again. */
export type BucketState = { fullAt: number; leases: ReadonlyMap<string, Lease> }

export const fullBucket: BucketState = { fullAt: 0, leases: new Map() }

/** Maximum number of leases, which keeps the item below 1 KB. */
const maxLeases = 20

export const microsPerUnit = ({ refill }: Bucket): number => 1_000_000 / refill

const unitsOut = ({ leases }: BucketState): number => [...leases.values()].reduce((sum, { units }) => sum + units, 0)

/** Returns the state at an instant. An ended lease is treated as used at its end, so that the capacity is never exceeded. */
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

/** Time at which all leases have ended and the bucket is full, if no more units are taken. */
function settledAt(bucket: Bucket, state: BucketState): number {
  const end = Math.max(0, ...[...state.leases.values()].map(({ until }) => until))
  return stateAt(bucket, state, end).fullAt
}

export const unitsAt = (bucket: Bucket, { fullAt }: BucketState, now: number): number =>
  Math.min(bucket.capacity, Math.floor(bucket.capacity - Math.max(0, fullAt - now) / microsPerUnit(bucket)))

/**
 * Returns the number of units to give to a process, which decreases as more units are used or leased. A single unit is not stored as a
 * lease. Zero when the bucket is empty.
 */
export function unitsFor(bucket: Bucket, state: BucketState, wanted: number, now: number): number {
  const free = unitsAt(bucket, state, now)
  const spare = Math.min(free, bucket.capacity / 2 - unitsOut(state))
  const share = state.leases.size < maxLeases ? Math.floor(spare / 4) : 1
  return Math.max(0, Math.min(free, bucket.lease, wanted, Math.max(1, share)))
}

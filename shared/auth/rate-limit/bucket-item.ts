import { changeItem } from '../../table/change-item.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import type { Bucket } from './bucket.ts'

/** Bucket as a process last read or wrote it. `storedFullAt` is `full_at` of the stored item. */
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
 * Returns the condition for writing a bucket. Every withdrawal advances `full_at`, so a changed `full_at` reveals a concurrent one. A full
 * bucket can be written without an earlier read.
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

/** Writes the next state of a bucket; null when the stored bucket differs from `storedBucket`. */
export async function writeBucket(
  bucket: Bucket,
  storedBucket: StoredBucket,
  { fullAt, leases }: BucketState,
  now: number,
): Promise<StoredBucket | null> {
  const [condition, bound] = conditionOn(bucket, storedBucket, now)
  const next = { fullAt: Math.ceil(fullAt), leases }
  const settledMicros = Math.ceil(settledAt(bucket, next))
  const previousItem = await changeItem(bucketKey(bucket), {
    set: {
      full_at: next.fullAt,
      settled_at: settledMicros,
      leases: Object.fromEntries([...leases].map(([id, { units, until }]) => [id, [units, until]])),
      kind: 'rate',
      ttl: Math.ceil(settledMicros / 1_000_000) + 3600,
    },
    when: condition,
    values: { bound },
  })
  return previousItem && { state: next, storedFullAt: next.fullAt }
}

type Lease = { units: number; until: number }

/** State of a leaky bucket. At `fullAt` (microseconds), all units except the leased ones are available again. */
export type BucketState = { fullAt: number; leases: ReadonlyMap<string, Lease> }

export const fullBucket: BucketState = { fullAt: 0, leases: new Map() }

/** Maximum number of leases, which keeps the item below 1 KB. */
const maxLeases = 20

export const microsPerUnit = ({ refill }: Bucket): number => 1_000_000 / refill

const leasedUnits = ({ leases }: BucketState): number => [...leases.values()].reduce((sum, { units }) => sum + units, 0)

/** Returns the state at an instant. An expired lease counts as fully used at its expiry, so that the capacity is never exceeded. */
export function stateAt(bucket: Bucket, state: BucketState, now: number): BucketState {
  const cost = microsPerUnit(bucket)
  const leases = new Map(state.leases)
  let { fullAt } = state
  let activeUnits = leasedUnits(state)
  for (const [id, { units, until }] of [...leases].sort(([, a], [, b]) => a.until - b.until)) {
    if (until > now) break
    fullAt = Math.max(fullAt, until + activeUnits * cost)
    activeUnits -= units
    leases.delete(id)
  }
  return { fullAt: Math.max(fullAt, now + activeUnits * cost), leases }
}

/** Returns the time at which all leases have expired and the bucket is full, if no more units are taken. */
function settledAt(bucket: Bucket, state: BucketState): number {
  const end = Math.max(0, ...[...state.leases.values()].map(({ until }) => until))
  return stateAt(bucket, state, end).fullAt
}

export const unitsAt = (bucket: Bucket, { fullAt }: BucketState, now: number): number =>
  Math.min(bucket.capacity, Math.floor(bucket.capacity - Math.max(0, fullAt - now) / microsPerUnit(bucket)))

/**
 * Returns the number of units to lease to a process, which decreases as more units are used or leased. A single unit is not stored as a
 * lease. Returns zero if the bucket is empty.
 */
export function unitsFor(bucket: Bucket, state: BucketState, requestedUnits: number, now: number): number {
  const freeUnits = unitsAt(bucket, state, now)
  const spareUnits = Math.min(freeUnits, bucket.capacity / 2 - leasedUnits(state))
  const share = state.leases.size < maxLeases ? Math.floor(spareUnits / 4) : 1
  return Math.max(0, Math.min(freeUnits, bucket.lease, requestedUnits, Math.max(1, share)))
}

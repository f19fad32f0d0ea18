import { randomBytes } from 'node:crypto'
import { clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Bucket } from './bucket.ts'
import {
  type BucketState,
  bucketKey,
  fullBucket,
  microsPerUnit,
  readBucket,
  type StoredBucket,
  stateAt,
  unitsAt,
  unitsFor,
  writeBucket,
} from './bucket-item.ts'

/** Duration of a lease in microseconds. It is short, so that an idle process does not block units for long. */
const leaseMicros = 5_000_000
const maxSkewMicros = 5_000_000
const maxBuckets = 10_000
const maxTries = 20

/** Units that a process has leased. `storedBucket` is the bucket after the lease was taken. */
type LocalLease = { units: number; unitsLeft: number; until: number; storedBucket: StoredBucket }
type Renewal = { empty: false } | { empty: true; state: BucketState; now: number }

export class LeaseHolder {
  private readonly now: () => number
  private readonly id = randomBytes(6).toString('base64url')
  private readonly leaseByKey = new Map<string, LocalLease>()
  private readonly renewals = new Map<string, Promise<Renewal>>()

  constructor(now = () => clock.now()) {
    this.now = now
  }

  /** Takes one unit for a request (A9) and returns the response headers. @throws ApiError `rate_limited` with `Retry-After` */
  async takeUnit(bucket: Bucket): Promise<Record<string, string>> {
    const { pk } = bucketKey(bucket)
    for (;;) {
      const now = this.now()
      const lease = this.leaseByKey.get(pk)
      if (lease && lease.unitsLeft > 0 && lease.until > now) {
        lease.unitsLeft--
        return headersOf(bucket, stateAt(bucket, lease.storedBucket.state, now), lease.unitsLeft, now)
      }
      const renewal = await this.renew(pk, bucket)
      if (renewal.empty) throw limitError(bucket, renewal.state, renewal.now)
    }
  }

  /** Renews a lease. Concurrent requests without a lease share one renewal. */
  private renew(pk: string, bucket: Bucket): Promise<Renewal> {
    const currentRenewal = this.renewals.get(pk)
    if (currentRenewal !== undefined) return currentRenewal
    const renewal = this.takeLease(pk, bucket).finally(() => this.renewals.delete(pk))
    this.renewals.set(pk, renewal)
    return renewal
  }

  /** Takes a lease. Reads the bucket only when the state in memory is out of date. */
  private async takeLease(pk: string, bucket: Bucket): Promise<Renewal> {
    const formerLease = this.leaseByKey.get(pk)
    let storedBucket = formerLease?.storedBucket ?? { state: fullBucket, storedFullAt: 0 }
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 1) await clock.sleep(Math.random() * 5 * tries)
      const now = this.now()
      const { fullAt, leases } = stateAt(bucket, dropFutureTimes(bucket, storedBucket.state, now), now)
      // Removes the former lease of this process, whose units remain counted as used.
      const state = { fullAt, leases: new Map([...leases].filter(([id]) => id !== this.id)) }
      const units = unitsFor(bucket, state, requestedUnits(formerLease, now), now)
      if (units === 0 && tries > 0) return { empty: true, state, now }
      const writtenBucket =
        units > 0 && (await writeBucket(bucket, storedBucket, this.withLease(bucket, state, units, now), now))
      if (writtenBucket) {
        if (this.leaseByKey.size >= maxBuckets) this.leaseByKey.clear()
        this.leaseByKey.set(pk, { units, unitsLeft: units, until: now + leaseMicros, storedBucket: writtenBucket })
        return { empty: false }
      }
      storedBucket = await readBucket(bucket)
    }
    throw new ApiError('unavailable')
  }

  private withLease(bucket: Bucket, { fullAt, leases }: BucketState, units: number, now: number): BucketState {
    const ownLease = units > 1 ? [[this.id, { units, until: now + leaseMicros }] as const] : []
    return { fullAt: fullAt + units * microsPerUnit(bucket), leases: new Map([...leases, ...ownLease]) }
  }
}

/**
 * Doubles a lease that was used up before it expired. Otherwise requests the number of units used. A process thus never loses more units
 * than it uses.
 */
function requestedUnits(formerLease: LocalLease | undefined, now: number): number {
  if (!formerLease) return 1
  const { units, unitsLeft, until } = formerLease
  return unitsLeft === 0 && until > now ? 2 * units : Math.max(1, units - unitsLeft)
}

/** Drops times that are too far in the future, written by a process whose clock is ahead. */
function dropFutureTimes(bucket: Bucket, { fullAt, leases }: BucketState, now: number): BucketState {
  const latest = now + bucket.capacity * microsPerUnit(bucket) + maxSkewMicros
  return {
    fullAt: fullAt <= latest ? fullAt : now,
    leases: new Map([...leases].filter(([, { until }]) => until <= now + leaseMicros + maxSkewMicros)),
  }
}

/** `RateLimit` headers of a response (A9). */
function headersOf(bucket: Bucket, state: BucketState, unitsLeft: number, now: number): Record<string, string> {
  const units = Math.max(0, Math.min(bucket.capacity, unitsAt(bucket, state, now) + unitsLeft))
  const secondsToFull = Math.ceil((bucket.capacity - units) / bucket.refill)
  return {
    'ratelimit-policy': `"${bucket.name}";q=${bucket.capacity};w=${Math.ceil(bucket.capacity / bucket.refill)}`,
    ratelimit: `"${bucket.name}";r=${units};t=${secondsToFull}`,
  }
}

function limitError(bucket: Bucket, state: BucketState, now: number): ApiError {
  const missingUnits = (state.fullAt - now) / microsPerUnit(bucket) + 1 - bucket.capacity
  const seconds = Math.max(1, Math.ceil(missingUnits / bucket.refill))
  return new ApiError('rate_limited', undefined, {
    headers: { ...headersOf(bucket, state, 0, now), 'retry-after': String(seconds) },
  })
}

const holder = new LeaseHolder()

export const takeUnit = (bucket: Bucket): Promise<Record<string, string>> => holder.takeUnit(bucket)

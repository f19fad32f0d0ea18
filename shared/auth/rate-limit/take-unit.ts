import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { table, tableName } from '../../table/client.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import type { Bucket } from './bucket.ts'

/** A lease ends after this time, so that a quiet process does not hold units for long. */
const leaseMicros = 10_000_000
const maxSkewMicros = 5_000_000
const maxLeases = 10_000

/** `fullAt`: when the bucket is full again if nothing more is taken (the arrival time of a leaky bucket, in microseconds). */
type Lease = { left: number; until: number; fullAt: number; empty?: boolean }

const leases = new Map<string, Lease>()
const renewals = new Map<string, Promise<Lease>>()

const keyOf = ({ accountId, owner }: Bucket): Key => ({ pk: partition(accountId, `rate.${owner}`), sk: 'rate' })
const microsPerUnit = ({ refill }: Bucket): number => 1_000_000 / refill

/** Units in the shared bucket at an instant. */
const unitsAt = (bucket: Bucket, fullAt: number, now: number): number =>
  Math.min(bucket.capacity, Math.floor(bucket.capacity - Math.max(0, fullAt - now) / microsPerUnit(bucket)))

/** Moves `fullAt` on by what is taken, on a condition on where it stood. */
async function move(bucket: Bucket, to: number, condition: string, bound: number): Promise<boolean> {
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: keyOf(bucket),
        UpdateExpression: 'SET full_at = :to, #kind = :kind, #ttl = :ttl',
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#kind': 'kind', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':to': to,
          ':bound': bound,
          ':kind': 'rate',
          ':ttl': Math.ceil(to / 1_000_000) + 3600,
        },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** Takes as much of a lease as the shared bucket has; `left` is 0 when it is empty. */
async function takeLease(bucket: Bucket, now: number): Promise<Lease> {
  const cost = microsPerUnit(bucket)
  const until = now + leaseMicros
  // A bucket that has refilled, the usual case, is taken from without reading it.
  const fresh = Math.floor(now + bucket.lease * cost)
  if (await move(bucket, fresh, 'attribute_not_exists(pk) OR full_at <= :bound', now)) {
    return { left: bucket.lease, until, fullAt: fresh }
  }
  for (let tries = 0; tries < 20; tries++) {
    const stood = Number((await getItem(keyOf(bucket)))?.full_at ?? 0)
    // Later than it can be: written by a clock that was ahead. A bucket must not be empty for as long as that clock was.
    const credible = stood <= now + bucket.capacity * cost + maxSkewMicros
    const from = credible ? Math.max(stood, now) : now
    const left = Math.min(bucket.lease, unitsAt(bucket, from, now))
    if (left < 1) return { left: 0, until: now, fullAt: from, empty: true }
    const fullAt = Math.floor(from + left * cost)
    if (await move(bucket, fullAt, 'full_at = :bound', stood)) return { left, until, fullAt }
  }
  throw new ApiError('unavailable')
}

/** The `RateLimit` headers of every answer behind the credential (A9). */
function headersOf(bucket: Bucket, { left, fullAt }: Lease, now: number): Record<string, string> {
  const units = Math.max(0, Math.min(bucket.capacity, unitsAt(bucket, fullAt, now) + left))
  const full = Math.ceil((bucket.capacity - units) / bucket.refill)
  return {
    'ratelimit-policy': `"${bucket.name}";q=${bucket.capacity};w=${Math.ceil(bucket.capacity / bucket.refill)}`,
    ratelimit: `"${bucket.name}";r=${units};t=${full}`,
  }
}

/**
 * Takes one unit for a request (A9), mostly from what this process has leased before. Returns the headers that tell the
 * caller how much is left.
 * @throws ApiError `rate_limited` with `Retry-After` when the bucket is empty
 */
export async function takeUnit(bucket: Bucket): Promise<Record<string, string>> {
  const { pk } = keyOf(bucket)
  for (;;) {
    const now = clock.now()
    const held = leases.get(pk)
    const lease = held && held.left > 0 && held.until > now ? held : await renew(pk, bucket, now)
    if (lease.left > 0) {
      lease.left--
      return headersOf(bucket, lease, now)
    }
    if (lease.empty) throw limited(bucket, lease, now)
  }
}

/** Requests of one process that find no lease wait for the same one. */
function renew(pk: string, bucket: Bucket, now: number): Promise<Lease> {
  const running = renewals.get(pk)
  if (running !== undefined) return running
  const renewal = takeLease(bucket, now)
    .then((lease) => {
      if (leases.size >= maxLeases) leases.clear()
      leases.set(pk, lease)
      return lease
    })
    .finally(() => renewals.delete(pk))
  renewals.set(pk, renewal)
  return renewal
}

function limited(bucket: Bucket, lease: Lease, now: number): ApiError {
  const missing = (lease.fullAt - now) / microsPerUnit(bucket) + 1 - bucket.capacity
  const seconds = Math.max(1, Math.ceil(missing / bucket.refill))
  return new ApiError('rate_limited', undefined, {
    headers: { ...headersOf(bucket, lease, now), 'retry-after': String(seconds) },
  })
}

import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import type { Bucket } from './bucket.ts'
import { type BucketState, fullBucket, settledAt } from './bucket-state.ts'

/** The bucket as a process last read it, and the `full_at` that its item had then. */
export type Known = { state: BucketState; stood: number }

type Attributes = { full_at: number; leases?: Record<string, [units: number, until: number]> }

export const bucketKey = ({ accountId, owner }: Bucket): Key => ({
  pk: partition(accountId, `rate.${owner}`),
  sk: 'rate',
})

export async function readBucket(bucket: Bucket): Promise<Known> {
  const item = (await getItem(bucketKey(bucket))) as Attributes | undefined
  if (!item) return { state: fullBucket, stood: 0 }
  const leases = new Map(Object.entries(item.leases ?? {}).map(([id, [units, until]]) => [id, { units, until }]))
  return { state: { fullAt: item.full_at, leases }, stood: item.full_at }
}

/** Every take moves `full_at` on, so it tells whether somebody came between; a full bucket is taken from without knowing it. */
function conditionOn(bucket: Bucket, { state, stood }: Known, now: number): [condition: string, bound: number] {
  return settledAt(bucket, state) <= now
    ? [
        'attribute_not_exists(pk) OR (full_at <= :bound AND (attribute_not_exists(settled_at) OR settled_at <= :bound))',
        now,
      ]
    : ['full_at = :bound', stood]
}

/** Writes the next state of a bucket if it still is as known; what is known then, or null. */
export async function writeBucket(
  bucket: Bucket,
  known: Known,
  { fullAt, leases }: BucketState,
  now: number,
): Promise<Known | null> {
  const [condition, bound] = conditionOn(bucket, known, now)
  const next = { fullAt: Math.ceil(fullAt), leases }
  const settled = Math.ceil(settledAt(bucket, next))
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: bucketKey(bucket),
        UpdateExpression: 'SET full_at = :full, settled_at = :settled, leases = :leases, #kind = :kind, #ttl = :ttl',
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#kind': 'kind', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':full': next.fullAt,
          ':settled': settled,
          ':leases': Object.fromEntries([...leases].map(([id, { units, until }]) => [id, [units, until]])),
          ':bound': bound,
          ':kind': 'rate',
          ':ttl': Math.ceil(settled / 1_000_000) + 3600,
        },
      }),
    )
    return { state: next, stood: next.fullAt }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null
    throw error
  }
}

/** Stream record in the form of a Lambda event, with the additional fields that the poller needs. */
export type SourceRecord = {
  sequence: string
  /** Seconds since 1970. */
  createdAt: number
  event: unknown
  /** Ordering key: records with the same key are handled in order. */
  key: string
  bytes: number
  /** True for an update that changes nothing. DynamoDB writes no stream record for such an update. */
  noop: boolean
}

export type Source = {
  kind: 'dynamodb' | 'kinesis'
  arn: string
  shards(): Promise<string[]>
  /** Reads the records after a sequence number, or from the beginning if `after` is undefined. */
  read(shard: string, after: string | undefined, limit: number): Promise<SourceRecord[]>
}

/**
 * Caches the shard iterator of each position. After an empty response, the next iterator is not used, because the Kinesis engine advances
 * it by its clock. A record that is being stored at that moment would be skipped.
 */
export function iteratorCache(create: (shard: string, after: string | undefined) => Promise<string>) {
  const cache = new Map<string, { after: string | undefined; iterator: string; until: number }>()
  return {
    async get(shard: string, after: string | undefined): Promise<string> {
      const entry = cache.get(shard)
      if (entry && entry.after === after && performance.now() < entry.until) return entry.iterator
      const iterator = await create(shard, after)
      cache.set(shard, { after, iterator, until: performance.now() + 120_000 })
      return iterator
    },
    forget: (shard: string) => cache.delete(shard),
  }
}

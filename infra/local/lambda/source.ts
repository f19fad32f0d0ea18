/** A record of a stream as a function gets it, with the data that the poller needs. */
export type SourceRecord = {
  sequence: string
  /** Seconds since 1970. */
  createdAt: number
  /** The record of the Lambda event. */
  event: unknown
  /** Records of one key are handled in order. */
  key: string
  bytes: number
  /** Nothing changed: AWS would not have written it. */
  noop: boolean
}

/** A stream with its shards. */
export type Source = {
  kind: 'dynamodb' | 'kinesis'
  arn: string
  shards(): Promise<string[]>
  /** The records after a sequence number, or from the beginning. */
  read(shard: string, after: string | undefined, limit: number): Promise<SourceRecord[]>
}

/**
 * A shard iterator for each position. It is kept while nothing new comes, and never replaced by the next one that an
 * empty answer offers: the Kinesis engine moves that one by its clock, past a record that is just being stored.
 */
export function iteratorCache(create: (shard: string, after: string | undefined) => Promise<string>) {
  const kept = new Map<string, { after: string | undefined; iterator: string; until: number }>()
  return {
    async get(shard: string, after: string | undefined): Promise<string> {
      const known = kept.get(shard)
      if (known && known.after === after && performance.now() < known.until) return known.iterator
      const iterator = await create(shard, after)
      kept.set(shard, { after, iterator, until: performance.now() + 120_000 })
      return iterator
    },
    forget: (shard: string) => kept.delete(shard),
  }
}

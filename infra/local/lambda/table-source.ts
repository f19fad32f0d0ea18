import { isDeepStrictEqual } from 'node:util'
import { variable } from '#shared/core/aws/clients.ts'
import { iteratorCache, type Source } from './source.ts'

type StreamRecord = {
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE'
  dynamodb: Record<'Keys' | 'NewImage' | 'OldImage', object> & {
    ApproximateCreationDateTime: number
    SequenceNumber: string
    SizeBytes?: number
  }
}

/** Creates the source for the table's stream. Does not use the SDK, because the API's JSON already has the format of Lambda's events. */
export function tableSource(endpoint: string, streamArn: string, sourceArn: string): Source {
  const region = variable('AWS_REGION')
  async function call<T>(operation: string, input: object): Promise<T> {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        // Satisfies the engines, which require the header but do not verify the signature.
        authorization: `AWS4-HMAC-SHA256 Credential=local/20000101/${region}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
      },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(10_000),
    })
    const result = (await response.json()) as T & { message?: string; Message?: string }
    if (!response.ok) throw new Error(`${operation}: ${result.message ?? result.Message ?? response.status}`)
    return result
  }
  const iterators = iteratorCache(async (shard, after) => {
    const position = after
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }
      : { ShardIteratorType: 'TRIM_HORIZON' }
    const input = { StreamArn: streamArn, ShardId: shard, ...position }
    return (await call<{ ShardIterator: string }>('GetShardIterator', input)).ShardIterator
  })
  return {
    kind: 'dynamodb',
    arn: sourceArn,
    async shards() {
      type StreamResult = { StreamDescription: { Shards: { ShardId: string }[] } }
      const { StreamDescription } = await call<StreamResult>('DescribeStream', { StreamArn: streamArn })
      return StreamDescription.Shards.map(({ ShardId }) => ShardId)
    },
    async read(shard, after, limit) {
      const input = { ShardIterator: await iterators.get(shard, after), Limit: Math.min(limit, 1000) }
      const result = await call<{ Records: StreamRecord[] }>('GetRecords', input).catch((error) => {
        iterators.forget(shard)
        throw error
      })
      return result.Records.map((record) => {
        const { SequenceNumber, ApproximateCreationDateTime, Keys, NewImage, OldImage, SizeBytes } = record.dynamodb
        return {
          sequence: SequenceNumber,
          createdAt: ApproximateCreationDateTime,
          event: { ...record, awsRegion: region, eventSourceARN: sourceArn },
          key: JSON.stringify(Object.entries(Keys).sort()),
          bytes: SizeBytes ?? 0,
          // Uses a getter, because few records pass the filter and need the comparison.
          get noop() {
            return record.eventName === 'MODIFY' && isDeepStrictEqual(NewImage, OldImage)
          },
        }
      })
    },
  }
}

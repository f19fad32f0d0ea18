import { Agent, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { variable } from '#shared/core/aws/clients.ts'
import { type Source, sharedReader } from './source.ts'
import { tableWrites } from './wake.ts'

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
  const agent = new Agent({ keepAlive: true })
  async function call<T>(operation: string, input: object): Promise<T> {
    const outgoing = request(endpoint, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        // Satisfies the engines, which require the header but do not verify the signature.
        authorization: `AWS4-HMAC-SHA256 Credential=local/20000101/${region}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
      },
      signal: AbortSignal.timeout(10_000),
    })
    outgoing.end(JSON.stringify(input))
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      outgoing.once('response', resolve).on('error', reject),
    )
    const result = (await json(response)) as T & { message?: string; Message?: string }
    if (response.statusCode !== 200)
      throw new Error(`${operation}: ${result.message ?? result.Message ?? response.statusCode}`)
    return result
  }
  async function createIterator(shard: string, after: string | undefined) {
    const position = after
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }
      : { ShardIteratorType: 'TRIM_HORIZON' }
    const input = { StreamArn: streamArn, ShardId: shard, ...position }
    return (await call<{ ShardIterator: string }>('GetShardIterator', input)).ShardIterator
  }
  async function getRecords(iterator: string, limit: number) {
    const input = { ShardIterator: iterator, Limit: limit }
    const page = await call<{ Records: StreamRecord[]; NextShardIterator?: string }>('GetRecords', input)
    const records = page.Records.map((record) => {
      const { SequenceNumber, ApproximateCreationDateTime, Keys, NewImage, OldImage, SizeBytes } = record.dynamodb
      return {
        sequence: SequenceNumber,
        createdAt: ApproximateCreationDateTime,
        event: { ...record, awsRegion: region, eventSourceARN: sourceArn },
        bytes: SizeBytes ?? 0,
        // Uses getters, because few records pass the filter and need the values.
        get key() {
          return JSON.stringify(Object.entries(Keys).sort())
        },
        get noop() {
          return record.eventName === 'MODIFY' && isDeepStrictEqual(NewImage, OldImage)
        },
      }
    })
    return { records, next: page.NextShardIterator }
  }
  return {
    kind: 'dynamodb',
    arn: sourceArn,
    writes: tableWrites,
    async shards() {
      type StreamResult = { StreamDescription: { Shards: { ShardId: string }[] } }
      const { StreamDescription } = await call<StreamResult>('DescribeStream', { StreamArn: streamArn })
      return StreamDescription.Shards.map(({ ShardId }) => ShardId)
    },
    read: sharedReader({ createIterator, getRecords }, tableWrites),
  }
}

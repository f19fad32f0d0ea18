import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis'
import { iteratorCache, type Source } from './source.ts'

/** What filter patterns see of a record: its data as JSON, where it is JSON. */
function viewOf(kinesis: { data: string }): unknown {
  try {
    return { ...kinesis, data: JSON.parse(Buffer.from(kinesis.data, 'base64').toString('utf8')) }
  } catch {
    return kinesis
  }
}

/** A Kinesis stream, addressed by its name: the local engine does not know ARNs. */
export function kinesisSource(client: KinesisClient, streamName: string, sourceArn: string, region: string): Source {
  const iterators = iteratorCache(async (shard, after) => {
    const command = new GetShardIteratorCommand({
      StreamName: streamName,
      ShardId: shard,
      ...(after
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: after }
        : { ShardIteratorType: 'TRIM_HORIZON' }),
    })
    const { ShardIterator } = await client.send(command)
    if (!ShardIterator) throw new Error(`The shard ${shard} gave no iterator.`)
    return ShardIterator
  })
  return {
    kind: 'kinesis',
    arn: sourceArn,
    async shards() {
      const { Shards } = await client.send(new ListShardsCommand({ StreamName: streamName }))
      return (Shards ?? []).map(({ ShardId }) => ShardId ?? '')
    },
    async read(shard, after, limit) {
      const iterator = await iterators.get(shard, after)
      const { Records } = await client
        .send(new GetRecordsCommand({ ShardIterator: iterator, Limit: limit }))
        .catch((error) => {
          iterators.forget(shard)
          throw error
        })
      return (Records ?? []).map((record) => {
        const sequence = record.SequenceNumber ?? ''
        const createdAt = (record.ApproximateArrivalTimestamp?.getTime() ?? Date.now()) / 1_000
        const kinesis = {
          kinesisSchemaVersion: '1.0',
          partitionKey: record.PartitionKey ?? '',
          sequenceNumber: sequence,
          data: Buffer.from(record.Data ?? []).toString('base64'),
          approximateArrivalTimestamp: createdAt,
        }
        return {
          sequence,
          createdAt,
          event: {
            kinesis,
            eventSource: 'aws:kinesis',
            eventVersion: '1.0',
            eventID: `${shard}:${sequence}`,
            eventName: 'aws:kinesis:record',
            invokeIdentityArn: 'arn:aws:iam::000000000000:role/local',
            awsRegion: region,
            eventSourceARN: sourceArn,
          },
          view: viewOf(kinesis),
          key: kinesis.partitionKey,
          bytes: kinesis.data.length + 300,
          noop: false,
        }
      })
    },
  }
}

import { GetRecordsCommand, GetShardIteratorCommand, ListShardsCommand } from '@aws-sdk/client-kinesis'
import { variable } from '#shared/core/aws/clients.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { iteratorCache, type Source } from './source.ts'

/** Creates the source for a Kinesis stream. Addresses the stream by name, because the local engine does not support ARNs. */
export function kinesisSource(streamName: string, sourceArn: string): Source {
  const iterators = iteratorCache(async (shard, after) => {
    const command = new GetShardIteratorCommand({
      StreamName: streamName,
      ShardId: shard,
      ...(after
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: after }
        : { ShardIteratorType: 'TRIM_HORIZON' }),
    })
    const { ShardIterator } = await kinesis().send(command)
    if (!ShardIterator) throw new Error(`The shard ${shard} gave no iterator.`)
    return ShardIterator
  })
  return {
    kind: 'kinesis',
    arn: sourceArn,
    async shards() {
      const { Shards } = await kinesis().send(new ListShardsCommand({ StreamName: streamName }))
      return (Shards ?? []).map(({ ShardId }) => ShardId ?? '')
    },
    async read(shard, after, limit) {
      const iterator = await iterators.get(shard, after)
      const { Records } = await kinesis()
        .send(new GetRecordsCommand({ ShardIterator: iterator, Limit: limit }))
        .catch((error) => {
          iterators.forget(shard)
          throw error
        })
      return (Records ?? []).map((record) => {
        const sequence = record.SequenceNumber ?? ''
        const createdAt = (record.ApproximateArrivalTimestamp?.getTime() ?? Date.now()) / 1_000
        const data = {
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
            kinesis: data,
            eventSource: 'aws:kinesis',
            eventVersion: '1.0',
            eventID: `${shard}:${sequence}`,
            eventName: 'aws:kinesis:record',
            invokeIdentityArn: 'arn:aws:iam::000000000000:role/local',
            awsRegion: variable('AWS_REGION'),
            eventSourceARN: sourceArn,
          },
          key: data.partitionKey,
          bytes: data.data.length + 300,
          noop: false,
        }
      })
    },
  }
}

import { GetRecordsCommand, GetShardIteratorCommand, ListShardsCommand } from '@aws-sdk/client-kinesis'
import { variable } from '#shared/core/aws/clients.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { type Source, sharedReader } from './source.ts'
import { flowWrites } from './wake.ts'

/** Creates the source for a Kinesis stream. Addresses the stream by name, because the local engine does not support ARNs. */
export function kinesisSource(streamName: string, sourceArn: string): Source {
  async function createIterator(shard: string, after: string | undefined) {
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
  }
  async function getRecords(iterator: string, limit: number, shard: string) {
    const input = { ShardIterator: iterator, Limit: limit }
    const { Records = [], NextShardIterator: next } = await kinesis().send(new GetRecordsCommand(input))
    const records = Records.map((record) => {
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
    return { records, next }
  }
  return {
    kind: 'kinesis',
    arn: sourceArn,
    writes: flowWrites,
    async shards() {
      const { Shards } = await kinesis().send(new ListShardsCommand({ StreamName: streamName }))
      return (Shards ?? []).map(({ ShardId }) => ShardId ?? '')
    },
    read: sharedReader({ createIterator, getRecords }, flowWrites),
  }
}

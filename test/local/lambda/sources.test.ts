import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { PutRecordCommand } from '@aws-sdk/client-kinesis'
import { describe, expect, it } from 'vitest'
import { kinesisSource } from '#infra/local/lambda/kinesis-source.ts'
import type { Source, SourceRecord } from '#infra/local/lambda/source.ts'
import { tableSource } from '#infra/local/lambda/table-source.ts'
import { createStream, createTable } from '#infra/local/service.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { table } from '#shared/table/table.ts'

const name = `sources-${process.pid}`

async function onlyShard(source: Source): Promise<string> {
  const [shard, ...others] = await source.shards()
  expect(others).toEqual([])
  return shard ?? ''
}

describe("the table's stream", () => {
  it('returns records in the format of Lambda events, after any position', async () => {
    const streamArn = await createTable({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    })
    const source = tableSource(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', streamArn, 'arn:template')
    const big = '9223372036854775807'
    for (const n of ['1', '1', big]) {
      const item = { pk: { S: 'a' }, n: { N: n }, bytes: { B: new Uint8Array([1, 2]) } }
      await table().send(new PutItemCommand({ TableName: name, Item: item }))
    }
    await table().send(new DeleteItemCommand({ TableName: name, Key: { pk: { S: 'a' } } }))
    const shard = await onlyShard(source)
    const { records } = await source.read(shard, undefined, 100)
    expect(records.map(({ noop }) => noop)).toEqual([false, true, false, false])
    expect(records[2]?.event).toMatchObject({
      eventName: 'MODIFY',
      eventSource: 'aws:dynamodb',
      eventSourceARN: 'arn:template',
      dynamodb: {
        Keys: { pk: { S: 'a' } },
        NewImage: { pk: { S: 'a' }, n: { N: big }, bytes: { B: 'AQI=' } },
        SequenceNumber: records[2]?.sequence,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    })
    const rest = await source.read(shard, records[1]?.sequence, 100)
    expect(rest.records.map(({ sequence }) => sequence)).toEqual(records.slice(2).map(({ sequence }) => sequence))
  })
})

describe('the flow stream', () => {
  it('misses no record that is stored during a read', async () => {
    await createStream({ name, shards: 1 })
    const source = kinesisSource(name, 'arn:template')
    const shard = await onlyShard(source)
    const total = 60
    const writing = Promise.all(
      Array.from({ length: 3 }, async (_, writer) => {
        for (let i = 0; i < total / 3; i++) {
          const data = Buffer.from(JSON.stringify({ writer, i }))
          await kinesis().send(new PutRecordCommand({ StreamName: name, PartitionKey: `p${writer}`, Data: data }))
        }
      }),
    )
    const read: SourceRecord[] = []
    const end = Date.now() + 10_000
    while (read.length < total && Date.now() < end) {
      read.push(...(await source.read(shard, read.at(-1)?.sequence, 7)).records)
    }
    await writing
    expect(read).toHaveLength(total)
    expect(new Set(read.map(({ sequence }) => sequence)).size).toBe(total)
    const [one] = read as [SourceRecord]
    const first = one.event as { eventID: string; kinesis: { data: string } }
    expect(first).toMatchObject({ eventSource: 'aws:kinesis', eventSourceARN: 'arn:template' })
    expect(first.eventID).toBe(`${shard}:${one.sequence}`)
    expect(JSON.parse(Buffer.from(first.kinesis.data, 'base64').toString())).toMatchObject({ i: 0 })
  })
})

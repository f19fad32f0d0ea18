import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { CreateStreamCommand, DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis'
import type { Clients } from './clients.ts'

export type TableDefinition = CreateTableCommandInput & { TableName: string; ttlAttribute?: string }
export type StreamDefinition = { name: string; shards: number }

const exists = (error: unknown): undefined => {
  if (!(error instanceof Error && error.name === 'ResourceInUseException')) throw error
}

/** Creates the table where it is missing and answers the ARN of its stream, or an empty string where it has none. */
export async function createTable({ dynamodb }: Clients, definition: TableDefinition): Promise<string> {
  const { ttlAttribute, ...input } = definition
  await dynamodb.send(new CreateTableCommand(input)).catch(exists)
  for (let i = 0; i < 200; i++) {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: input.TableName }))
    const streamArn = Table?.LatestStreamArn ?? ''
    if (Table?.TableStatus === 'ACTIVE' && (streamArn !== '' || !input.StreamSpecification)) {
      if (ttlAttribute) await enableTtl(dynamodb, input.TableName, ttlAttribute)
      return streamArn
    }
    await sleep(50)
  }
  throw new Error(`The table ${input.TableName} did not become active with its stream.`)
}

async function enableTtl(dynamodb: Clients['dynamodb'], table: string, attribute: string): Promise<void> {
  const command = new UpdateTimeToLiveCommand({
    TableName: table,
    TimeToLiveSpecification: { AttributeName: attribute, Enabled: true },
  })
  await dynamodb.send(command).catch((error: Error) => {
    // "TimeToLive is already enabled": the directory was used before.
    if (error.name !== 'ValidationException') throw error
  })
}

/** Creates the stream where it is missing and waits until it takes records. */
export async function createStream({ kinesis }: Clients, definition: StreamDefinition): Promise<void> {
  const command = new CreateStreamCommand({ StreamName: definition.name, ShardCount: definition.shards })
  await kinesis.send(command).catch(exists)
  for (let i = 0; i < 200; i++) {
    const { StreamDescriptionSummary } = await kinesis.send(
      new DescribeStreamSummaryCommand({ StreamName: definition.name }),
    )
    if (StreamDescriptionSummary?.StreamStatus === 'ACTIVE') return
    await sleep(25)
  }
  throw new Error(`The stream ${definition.name} did not become active.`)
}

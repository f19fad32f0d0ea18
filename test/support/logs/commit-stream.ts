import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import type { Change } from '#shared/commit/commit-record.ts'
import { partition } from '#shared/table/keys.ts'
import { packLarge } from '#shared/table/large-attributes.ts'
import { queryItems } from '#shared/table/read.ts'

type Commit = Record<string, unknown> & { time: number; subject: { actor_id: string } | null; changes: Change[] }

/** Reads the commit records of an account, oldest first. */
export const readCommits = async (accountId: string) =>
  (await queryItems(partition(accountId, 'commits'))) as unknown as Commit[]

/** Serializes bytes as base64, as events carry them. */
const asJson = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'B' in value
    ? { B: Buffer.from(value.B as Uint8Array).toString('base64') }
    : value

/** Builds the stream record with which the table's stream delivers a commit record. */
export const toStreamRecord = (commit: Record<string, unknown>) => {
  const image = marshall(packLarge(commit), { removeUndefinedValues: true })
  const NewImage = JSON.parse(JSON.stringify(image, asJson))
  const { pk, sk } = NewImage
  return { eventName: 'INSERT', dynamodb: { SequenceNumber: String(commit.sequence), Keys: { pk, sk }, NewImage } }
}

type Consumer = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>

/**
 * Delivers the commit records of an account after a position to a consumer, including those that the consumer commits.
 * Returns the new position.
 */
async function deliver(accountId: string, consumer: Consumer, from?: string): Promise<string | undefined> {
  let after = from
  for (;;) {
    const commits = await queryItems(partition(accountId, 'commits'), { after })
    if (commits.length === 0) return after
    const { batchItemFailures } = await consumer({
      Records: commits.map(toStreamRecord),
    } as unknown as DynamoDBStreamEvent)
    if (batchItemFailures.length > 0) throw new Error(`The commit ${batchItemFailures[0]?.itemIdentifier} failed.`)
    after = commits.at(-1)?.sk as string
  }
}

/** Runs the follow-up consumer for all commits after a position, and returns the new position. */
export const followUpFrom = (accountId: string, from?: string) => deliver(accountId, followUp, from)
export const followUpAll = (accountId: string) => deliver(accountId, followUp)
export const writeChangeLogOf = (accountId: string) => deliver(accountId, writeChangeLog)

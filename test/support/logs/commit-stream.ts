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

/** JSON replacer that encodes binary attributes as base64, as stream events do. */
const asJson = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'B' in value
    ? { B: Buffer.from(value.B as Uint8Array).toString('base64') }
    : value

export const toStreamRecord = (commit: Record<string, unknown>) => {
  const image = marshall(packLarge(commit), { removeUndefinedValues: true })
  const NewImage = JSON.parse(JSON.stringify(image, asJson))
  const { pk, sk } = NewImage
  return { eventName: 'INSERT', dynamodb: { SequenceNumber: String(commit.sequence), Keys: { pk, sk }, NewImage } }
}

type Consumer = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>

/**
 * Delivers an account's commit records after the sort key `from`, including commits made by the consumer. Returns the last sort key.
 * @throws Error if the consumer reports a failed record
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

/** Runs the follow-up consumer for an account's commits after the sort key `from`. Returns the last sort key. */
export const followUpFrom = (accountId: string, from?: string) => deliver(accountId, followUp, from)
export const followUpAll = (accountId: string) => deliver(accountId, followUp)
export const writeChangeLogOf = (accountId: string) => deliver(accountId, writeChangeLog)

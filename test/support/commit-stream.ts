import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import type { Change } from '#shared/table/transaction.ts'

type Commit = Record<string, unknown> & { time: number; subject: { actor_id: string } | null; changes: Change[] }

/** The commit records of an account, in their order. */
export const commitsOf = async (accountId: string) =>
  (await queryItems(partition(accountId, 'commits'))) as unknown as Commit[]

const recordOf = (commit: Record<string, unknown>) => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: String(commit.sequence), NewImage: marshall(commit, { removeUndefinedValues: true }) },
})

type Consumer = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>

/** Hands every commit record of an account to a consumer, those that it makes included, in their order. */
async function deliver(accountId: string, consumer: Consumer): Promise<void> {
  let after: string | undefined
  for (;;) {
    const commits = await queryItems(partition(accountId, 'commits'), { after })
    if (commits.length === 0) return
    const { batchItemFailures } = await consumer({ Records: commits.map(recordOf) } as unknown as DynamoDBStreamEvent)
    if (batchItemFailures.length > 0) throw new Error(`The commit ${batchItemFailures[0]?.itemIdentifier} failed.`)
    after = commits.at(-1)?.sk as string
  }
}

export const followUpAll = (accountId: string) => deliver(accountId, followUp)
export const writeChangeLogOf = (accountId: string) => deliver(accountId, writeChangeLog)

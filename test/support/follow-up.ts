import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'

export const commitsOf = (accountId: string) => queryItems(partition(accountId, 'commits'))

const recordOf = (commit: Record<string, unknown>) => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: String(commit.sequence), NewImage: marshall(commit, { removeUndefinedValues: true }) },
})

/** Hands every commit record of an account to the follow-up consumer, those that it makes included, one after the other. */
export async function followUpAll(accountId: string): Promise<void> {
  let after: string | undefined
  for (;;) {
    const commits = await queryItems(partition(accountId, 'commits'), { after })
    if (commits.length === 0) return
    const { batchItemFailures } = await followUp({ Records: commits.map(recordOf) } as unknown as DynamoDBStreamEvent)
    if (batchItemFailures.length > 0) throw new Error(`The commit ${batchItemFailures[0]?.itemIdentifier} failed.`)
    after = commits.at(-1)?.sk as string
  }
}

import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { type Revocation, revoke } from '#shared/authorizations/revoke.ts'
import { logLine } from '#shared/log.ts'

/**
 * Finishes what a commit caused and its request may not have finished: the revocations named in its record. Repeating
 * them is harmless. Reports the first record that failed, so that order is kept.
 */
export const handler = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  for (const { dynamodb } of event.Records) {
    try {
      const record = unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>)
      for (const revocation of (record.revocations ?? []) as Revocation[]) await revoke(record.account_id, revocation)
    } catch (error) {
      logLine('ERROR', 'a commit was not followed up', {
        sequence_number: dynamodb?.SequenceNumber,
        error: error instanceof Error ? error.message : 'not an error object',
      })
      return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] }
    }
  }
  return { batchItemFailures: [] }
}

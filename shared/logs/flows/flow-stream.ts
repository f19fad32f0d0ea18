import { KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { awsClient } from '../../core/aws/clients.ts'
import { Retries } from '../../core/aws/retries.ts'
import { clock, jitter } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { ApiError } from '../../core/errors.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { logLine } from '../../core/logging/log.ts'
import { isTransient } from '../../core/transient-error.ts'
import { retryUntil } from '../../core/work/work.ts'

/** Client of the flow stream. Retries for at most 4 seconds, because `putFlows` also retries failed requests. */
export const kinesis = () => awsClient(KinesisClient, { retryStrategy: new Retries(4_000) })

const maxRecords = 500
const maxBytes = 4_500_000
const attempts = 5
/** Time limit for retries in milliseconds, below the request timeout so that the caller receives an error response. */
const timeBudgetMs = 12_000

/** Splits records into batches within the limits of PutRecords: 500 records and 5 MB. */
function batches(records: Buffer[]): Buffer[][] {
  const all: Buffer[][] = []
  let size = 0
  for (const record of records) {
    const last = all.at(-1)
    if (!last || last.length === maxRecords || size + record.length > maxBytes) {
      all.push([record])
      size = record.length
    } else {
      last.push(record)
      size += record.length
    }
  }
  return all
}

/**
 * Puts records into the flow stream and retries rejected records. Resolves when all records are stored.
 * @throws ApiError `unavailable` if records are still rejected; the caller must then not acknowledge the request (L8)
 */
export async function putFlows(partitionKey: string, records: Buffer[]): Promise<void> {
  const deadline = retryUntil(timeBudgetMs)
  for (const batch of batches(records)) {
    let left = batch
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === attempts || clock.monotonic() > deadline) throw new ApiError('unavailable')
      if (attempt > 0) await clock.sleep(jitter(attempt, 50, 800))
      left = await putOnce(partitionKey, left)
    }
  }
}

async function putOnce(partitionKey: string, records: Buffer[]): Promise<Buffer[]> {
  try {
    const { Records = [] } = await kinesis().send(
      new PutRecordsCommand({
        StreamName: env.flowStreamName,
        Records: records.map((Data) => ({ Data, PartitionKey: partitionKey })),
      }),
    )
    return records.filter((_, i) => Records[i]?.ErrorCode !== undefined || Records[i]?.SequenceNumber === undefined)
  } catch (error) {
    if (!isTransient(error)) throw error
    logLine('WARN', 'flows_not_put', describeError(error))
    return records
  }
}

import { KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { isPassing } from '../../core/aws/passing-error.ts'
import { describeError } from '../../core/describe-error.ts'
import { env } from '../../core/env.ts'
import { ApiError } from '../../core/errors.ts'
import { logLine } from '../../core/log.ts'
import { jitter, waiting } from '../../core/waiting.ts'
import { retryUntil } from '../../core/work.ts'

let client: KinesisClient | undefined

function stream(): KinesisClient {
  const endpoint = env.kinesisEndpoint
  client ??= new KinesisClient({
    ...(endpoint && { endpoint }),
    maxAttempts: 2,
    // HTTP/1.1 everywhere: local engines do not speak HTTP/2 without TLS.
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 4_000,
      throwOnRequestTimeout: true,
    }),
  })
  return client
}

const maxRecords = 500
const maxBytes = 4_500_000
const attempts = 5
/** The caller must hear of a failure before its request times out. */
const timeBudgetMs = 12_000

/** Batches that one PutRecords takes: 500 records and 5 MB. */
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
 * Returns when the stream has every record. Records that the stream refused are sent again.
 * @throws ApiError `unavailable` when some stay refused; nothing may be acknowledged then (L8)
 */
export async function putFlows(partitionKey: string, records: Buffer[]): Promise<void> {
  const deadline = retryUntil(timeBudgetMs)
  for (const batch of batches(records)) {
    let left = batch
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === attempts || waiting.now() > deadline) throw new ApiError('unavailable')
      if (attempt > 0) await waiting.sleep(jitter(attempt, 50, 800))
      left = await putOnce(partitionKey, left)
    }
  }
}

async function putOnce(partitionKey: string, records: Buffer[]): Promise<Buffer[]> {
  try {
    const { Records = [] } = await stream().send(
      new PutRecordsCommand({
        StreamName: env.flowStreamName,
        Records: records.map((Data) => ({ Data, PartitionKey: partitionKey })),
      }),
    )
    return records.filter((_, i) => Records[i]?.ErrorCode !== undefined || Records[i]?.SequenceNumber === undefined)
  } catch (error) {
    if (!isPassing(error)) throw error
    logLine('WARN', 'flows_not_put', describeError(error))
    return records
  }
}

import type { PutRecordsCommandInput, PutRecordsCommandOutput } from '@aws-sdk/client-kinesis'
import { endpointOf } from '../../core/aws/endpoint.ts'
import { JsonService } from '../../core/aws/json-service.ts'
import { isPassing } from '../../core/aws/passing-error.ts'
import { env } from '../../core/env.ts'
import { ApiError } from '../../core/errors.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { logLine } from '../../core/logging/log.ts'
import { jitter, waiting } from '../../core/work/waiting.ts'
import { retryUntil } from '../../core/work/work.ts'

const kinesis = new JsonService({
  name: 'kinesis',
  target: 'Kinesis_20131202',
  contentType: 'application/x-amz-json-1.1',
  endpoint: () => endpointOf('kinesis', 'KINESIS_ENDPOINT'),
  // What is refused as a whole is tried again here, too.
  patienceMs: 4_000,
})

type Put = Pick<PutRecordsCommandInput, 'StreamName'> & { Records: { Data: Buffer; PartitionKey: string }[] }

/** The stream that flows are put into. */
export const flowStream = {
  async putRecords({ StreamName, Records }: Put): Promise<Partial<PutRecordsCommandOutput>> {
    const spelled = Records.map(({ Data, PartitionKey }) => ({ Data: Data.toString('base64'), PartitionKey }))
    return await kinesis.call('PutRecords', JSON.stringify({ StreamName, Records: spelled }))
  },
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
    const { Records = [] } = await flowStream.putRecords({
      StreamName: env.flowStreamName,
      Records: records.map((Data) => ({ Data, PartitionKey: partitionKey })),
    })
    return records.filter((_, i) => Records[i]?.ErrorCode !== undefined || Records[i]?.SequenceNumber === undefined)
  } catch (error) {
    if (!isPassing(error)) throw error
    logLine('WARN', 'flows_not_put', describeError(error))
    return records
  }
}

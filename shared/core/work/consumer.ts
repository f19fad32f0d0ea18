import type { DynamoDBRecord, KinesisStreamRecord } from 'aws-lambda'
import { measure, note } from '../logging/invocation.ts'
import type { consumerNames } from '../logging/metrics.ts'
import { watched } from '../logging/watched.ts'

type StreamRecord = DynamoDBRecord | KinesisStreamRecord
type Failures = { batchItemFailures: unknown[] }

/** When the stream took a record, in milliseconds since 1970. */
function takenAt(record: StreamRecord): number | undefined {
  const seconds =
    'kinesis' in record ? record.kinesis.approximateArrivalTimestamp : record.dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1000
}

/** The handler of a consumer: its last line tells how many records it got, and how long the oldest took until it was done. */
export const consumer = <E extends { Records: StreamRecord[] }, C, R extends Failures>(
  operation: (typeof consumerNames)[number],
  work: (event: E, context?: C) => Promise<R>,
) =>
  watched(operation, async (event: E, context?: C): Promise<R> => {
    const answer = await work(event, context)
    const [first] = event.Records
    const oldest = first && takenAt(first)
    if (oldest !== undefined) measure('lag_ms', Math.max(0, Math.round(Date.now() - oldest)))
    note({ records: event.Records.length, failed: answer.batchItemFailures.length > 0 || undefined })
    return answer
  })

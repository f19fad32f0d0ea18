import type { DynamoDBRecord, KinesisStreamRecord } from 'aws-lambda'
import { clock } from '../clock.ts'
import { measure, note } from '../logging/invocation.ts'
import type { consumerNames } from '../logging/metrics.ts'
import { watched } from '../logging/watched.ts'

type StreamRecord = DynamoDBRecord | KinesisStreamRecord
type Failures = { batchItemFailures: unknown[] }

/** Returns the time at which the stream received a record, in milliseconds since 1970. */
function arrivedAt(record: StreamRecord): number | undefined {
  const seconds =
    'kinesis' in record ? record.kinesis.approximateArrivalTimestamp : record.dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1000
}

/** Creates the handler of a stream consumer. The last log line reports the number of records and the lag of the oldest record. */
export const consumer = <E extends { Records: StreamRecord[] }, C, R extends Failures>(
  operation: (typeof consumerNames)[number],
  work: (event: E, context?: C) => Promise<R>,
) =>
  watched(operation, async (event: E, context?: C): Promise<R> => {
    const result = await work(event, context)
    const [first] = event.Records
    const oldest = first && arrivedAt(first)
    if (oldest !== undefined) measure('lag_ms', Math.max(0, Math.round(clock.now() / 1_000 - oldest)))
    note({ records: event.Records.length, failed: result.batchItemFailures.length > 0 || undefined })
    return result
  })

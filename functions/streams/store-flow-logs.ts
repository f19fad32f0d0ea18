import type { KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda'
import { flowLogId } from '#shared/flows/flow-identity.ts'
import { type IngestedReport, storeFlow } from '#shared/flows/flow-store.ts'
import { unpack } from '#shared/flows/packing.ts'
import { logLine } from '#shared/log.ts'

/** Writes under way at once within one record. */
const concurrency = 16

function reportsOf({ kinesis }: KinesisStreamRecord): IngestedReport[] {
  const { claims, ingested_at, reports } = unpack(Buffer.from(kinesis.data, 'base64'))
  const byFlow = new Map<string, IngestedReport>()
  for (const report of reports) {
    const id = flowLogId(claims, report)
    // Several reports of one flow are one write; a close wins (L11).
    if (!byFlow.get(id)?.report.closing) byFlow.set(id, { id, claims, ingestedAt: ingested_at, report })
  }
  return [...byFlow.values()]
}

async function store(reports: IngestedReport[]): Promise<void> {
  const waiting = reports.values()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const report of waiting) await storeFlow(report)
    }),
  )
}

/** Stores what gateways and clients reported, record by record, so that one flow's reports keep their order. */
export const handler = async (event: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> => {
  for (const record of event.Records) {
    try {
      await store(reportsOf(record))
    } catch (error) {
      const { sequenceNumber } = record.kinesis
      logLine('ERROR', 'a flow record was not stored', {
        sequence_number: sequenceNumber,
        error: error instanceof Error ? error.message : 'not an error object',
      })
      return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] }
    }
  }
  return { batchItemFailures: [] }
}

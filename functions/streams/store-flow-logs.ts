import type { Context, KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda'
import { describeError } from '#shared/core/logging/describe-error.ts'
import { measure } from '#shared/core/logging/invocation.ts'
import { logLine } from '#shared/core/logging/log.ts'
import { consumer } from '#shared/core/work/consumer.ts'
import { inParallel, slicesOf } from '#shared/core/work/in-parallel.ts'
import { timeLeft } from '#shared/core/work/task.ts'
import { indexOpenFlows } from '#shared/logs/flows/flow-marks.ts'
import { flowLogId, type IngestedReport, mergeReports, storeFlows } from '#shared/logs/flows/flow-store.ts'
import { unpack } from '#shared/logs/flows/packing.ts'
import { maxStatements } from '#shared/table/statements.ts'

/** Maximum number of concurrent requests. Each request contains 25 flows. */
const concurrency = 4

/** Time reserved before the function's timeout for the last writes and the pointers of open flows. */
const reserveMs = 25_000

/** A report, and the position in the batch of the first record that contained it. */
type PositionedReport = IngestedReport & { position: number }

function readReports({ kinesis }: KinesisStreamRecord, position: number): PositionedReport[] {
  const { claims, ingested_at, reports } = unpack(Buffer.from(kinesis.data, 'base64'))
  return reports.map((report) => ({ id: flowLogId(claims, report), claims, ingestedAt: ingested_at, report, position }))
}

/**
 * Stores the flows that gateways and clients reported. Each flow is written once per batch, so that the order of writes does not matter.
 * Returns the first record that was not stored, because of a fault or lack of time. The next batch continues there. Later records may be
 * stored already, because writes are idempotent (L11).
 */
const storeBatch = async (
  { Records: records }: KinesisStreamEvent,
  context?: Context,
): Promise<KinesisStreamBatchResponse> => {
  const hasTime = timeLeft(context, reserveMs)
  let firstFailure = records.length
  const fail = (position: number, error: unknown, account_id?: string) => {
    firstFailure = Math.min(firstFailure, position)
    logLine('ERROR', 'flow_not_stored', {
      account_id,
      sequence_number: records[position]?.kinesis.sequenceNumber,
      ...describeError(error),
    })
  }

  const reports: PositionedReport[] = []
  for (const [position, record] of records.entries()) {
    try {
      reports.push(...readReports(record, position))
    } catch (error) {
      fail(position, error)
      break
    }
  }
  await inParallel(slicesOf(mergeReports(reports), maxStatements), concurrency, async (part) => {
    const pending = part.filter(({ position }) => position < firstFailure)
    if (hasTime()) await storeFlows(pending, ({ position, claims }, error) => fail(position, error, claims.account_id))
    else firstFailure = Math.min(firstFailure, ...pending.map(({ position }) => position))
  })
  const storedCount = reports.filter(({ position }) => position < firstFailure).length
  if (storedCount > 0) measure('flows_stored', storedCount)
  // Skips the index of open flows after a fault: the table may be unavailable, and the next batch repeats the work.
  const accounts =
    firstFailure === records.length && hasTime() ? new Set(reports.map(({ claims }) => claims.account_id)) : []
  await inParallel(accounts, 4, (account) =>
    // Logs errors without failing the batch: readers without a pointer read the slice itself, and the next batch retries.
    indexOpenFlows(account).catch((error: unknown) =>
      logLine('WARN', 'open_flows_not_indexed', { account_id: account, ...describeError(error) }),
    ),
  )

  const first = records[firstFailure]
  return { batchItemFailures: first ? [{ itemIdentifier: first.kinesis.sequenceNumber }] : [] }
}

export const handler = consumer('store-flow-logs', storeBatch)

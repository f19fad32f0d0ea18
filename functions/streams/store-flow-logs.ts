import type { Context, KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda'
import { describeError } from '#shared/core/logging/describe-error.ts'
import { measure } from '#shared/core/logging/invocation.ts'
import { logLine } from '#shared/core/logging/log.ts'
import { consumer } from '#shared/core/work/consumer.ts'
import { inParallel } from '#shared/core/work/in-parallel.ts'
import { timeLeft } from '#shared/core/work/task.ts'
import { type PositionedPack, storeBlocks } from '#shared/logs/blocks/store-blocks.ts'
import { unpack } from '#shared/logs/flows/packing.ts'

const concurrency = 4

/** Time reserved before the function's timeout for the last writes. */
const reserveMs = 25_000

/**
 * Stores the flows that gateways and clients reported. Returns the first record that was not stored, because of a fault or lack of time.
 * The next batch continues there. Later records may be stored already, because writes are idempotent (L11).
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

  const packs = new Map<string, PositionedPack[]>()
  let stored: [position: number, reports: number][] = []
  for (const [position, { kinesis }] of records.entries()) {
    try {
      const pack = unpack(Buffer.from(kinesis.data, 'base64'))
      if (pack.rows.length === 0) continue
      const { account_id } = pack.claims
      packs.set(account_id, [...(packs.get(account_id) ?? []), { ...pack, position }])
      stored.push([position, pack.rows.length])
    } catch (error) {
      fail(position, error)
      break
    }
  }
  await inParallel(packs, concurrency, async ([account_id, own]) => {
    for (const { position, error } of await storeBlocks(account_id, own, hasTime)) {
      if (error === undefined) firstFailure = Math.min(firstFailure, position)
      else fail(position, error, account_id)
    }
  })
  stored = stored.filter(([position]) => position < firstFailure)
  if (stored.length > 0)
    measure(
      'flows_stored',
      stored.reduce((sum, [, reports]) => sum + reports, 0),
    )

  const first = records[firstFailure]
  return { batchItemFailures: first ? [{ itemIdentifier: first.kinesis.sequenceNumber }] : [] }
}

export const handler = consumer('store-flow-logs', storeBatch)

import { setTimeout as sleep } from 'node:timers/promises'
import type { Mapping } from '../../template/mapping.ts'
import { messageOf } from '../files/fault.ts'
import type { StreamCheckpoint } from './checkpoints.ts'
import { type DiscardedBatch, deliver, splitIntoLanes } from './deliver.ts'
import { untilIdle } from './requests-in-progress.ts'
import type { RecordPage, Source, SourceRecord } from './source.ts'

export type PollerOptions = {
  mapping: Mapping
  source: Source
  label: string
  checkpoint: StreamCheckpoint
  invoke(event: { Records: unknown[] }): Promise<unknown>
  storeFailure(shard: string, discard: DiscardedBatch): string
  signal: AbortSignal
  pauseMs?: number
}

/** Maximum size of one invocation in bytes: Lambda's 6 MB payload, less 64 KB for the envelope. */
const maxBatchBytes = 6 * 1024 * 1024 - 64 * 1024
/** Maximum time by which requests in progress delay a read. Consumers would otherwise slow down the requests, which share the engine. */
const maxDelayMs = 1_000
/** Minimum time between two reads, unless the first returned a full page. */
const readIntervalMs = 100
/** Maximum time between two reads: for writes of other processes, and for rows that the engine deletes by their TTL. */
const longestIdleMs = 5_000
const retryMs = 500

/** Returns the first records of a list: at most one batch per lane, and at most `maxBatchBytes`. */
function nextBatch(records: SourceRecord[], { batchSize, parallel }: Mapping): SourceRecord[] {
  let bytes = 0
  const end = records.findIndex((record, i) => {
    bytes += Math.max(record.bytes, 1) * 1.5
    return i > 0 && (i >= batchSize * parallel || bytes > maxBatchBytes)
  })
  return end < 0 ? records : records.slice(0, end)
}

async function handle(batch: SourceRecord[], shard: string, options: PollerOptions): Promise<void> {
  const { mapping, checkpoint, label, invoke, storeFailure, signal, pauseMs } = options
  const lanes = splitIntoLanes(batch, mapping.parallel)
  let isDiscarded = false
  const deliverOne = (records: SourceRecord[]) =>
    deliver(records, {
      mapping,
      invoke,
      signal,
      pauseMs,
      async discard(discard) {
        const summary = `${label} gave up ${discard.records.length} record(s), ${discard.condition}: ${discard.error}`
        const outcome = mapping.onFailure
          ? `kept in ${storeFailure(shard, discard)}`
          : 'there is no failure destination'
        process.stderr.write(`${summary}; ${outcome}\n`)
        isDiscarded = true
      },
      markHandled(record) {
        // Stores the checkpoint here only if there is a single lane. Several lanes finish in any order, so their checkpoint is stored after
        // all of them.
        if (lanes.length > 1) return
        checkpoint.set(shard, record.sequence)
        // Keeps a crash from discarding the same records again.
        if (isDiscarded) checkpoint.store()
      },
    })
  const deliveries = lanes.map(async (lane) => {
    for (let at = 0; at < lane.length; at += mapping.batchSize) await deliverOne(lane.slice(at, at + mapping.batchSize))
  })
  const rejection = (await Promise.allSettled(deliveries)).find((result) => result.status === 'rejected')
  if (rejection) throw rejection.reason
  const last = batch.at(-1)
  if (last) checkpoint.set(shard, last.sequence)
  if (isDiscarded) checkpoint.store()
}

async function handlePage(shard: string, options: PollerOptions): Promise<RecordPage> {
  const { mapping, source, checkpoint } = options
  const limit = Math.min(1_000, Math.max(100, mapping.batchSize * mapping.parallel))
  const page = await source.read(shard, checkpoint.get(shard), limit)
  for (let rest = page.records.filter((record) => mapping.filter(record.event) && !record.noop); rest.length > 0; ) {
    const batch = nextBatch(rest, mapping)
    await handle(batch, shard, options)
    rest = rest.slice(batch.length)
  }
  const last = page.records.at(-1)
  if (last) checkpoint.set(shard, last.sequence)
  return page
}

export async function pollShard(shard: string, options: PollerOptions): Promise<void> {
  const { signal, checkpoint, label } = options
  const { writes } = options.source
  let lastMessage: string | undefined
  /** Reports a persistent error, such as a full disk, only once. */
  const report = (error: unknown) => {
    const message = messageOf(error)
    if (message !== lastMessage) process.stderr.write(`${label}: ${message}\n`)
    lastMessage = message
  }
  /** True after a full page. A consumer that is behind waits only briefly, because its backlog would grow under constant load. */
  let isBehind = false
  while (!signal.aborted) {
    await untilIdle(isBehind ? readIntervalMs : maxDelayMs, signal)
    if (signal.aborted) break
    const nextRead = performance.now() + readIntervalMs
    try {
      const { isFull, count } = await handlePage(shard, options)
      isBehind = isFull
      if (isFull) continue
      await sleep(Math.max(0, nextRead - performance.now()), undefined, { signal })
      if (writes.count !== count) continue
      checkpoint.store()
      lastMessage = undefined
      await writes.since(count, longestIdleMs, signal)
    } catch (error) {
      if (signal.aborted) break
      isBehind = false
      report(error)
      await sleep(retryMs, undefined, { signal }).catch(() => undefined)
    }
  }
  try {
    checkpoint.store()
  } catch (error) {
    report(error)
  }
}

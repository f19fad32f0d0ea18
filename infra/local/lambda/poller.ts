import { setTimeout as sleep } from 'node:timers/promises'
import type { Mapping } from '../../template/mapping.ts'
import { messageOf } from '../files/fault.ts'
import type { StreamCheckpoint } from './checkpoints.ts'
import { type DiscardedBatch, deliver, splitIntoLanes } from './deliver.ts'
import type { Source, SourceRecord } from './source.ts'
import type { WakeSignal } from './wake.ts'

export type PollerOptions = {
  mapping: Mapping
  source: Source
  label: string
  checkpoint: StreamCheckpoint
  invoke(event: { Records: unknown[] }): Promise<unknown>
  storeFailure(shard: string, discard: DiscardedBatch): string
  wake: WakeSignal
  signal: AbortSignal
  pauseMs?: number
}

/** Maximum size of one invocation in bytes: Lambda's 6 MB payload, less 64 KB for the envelope. */
const maxBatchBytes = 6 * 1024 * 1024 - 64 * 1024
/** Number of pages without relevant records after which the checkpoint is stored. */
const pagesPerCheckpoint = 25
const shortestIdleMs = 20
const longestIdleMs = 500

/** Returns the first records of a list: at most one batch per lane, and at most `maxBatchBytes`. */
function nextBatch(records: SourceRecord[], { batchSize, parallel }: Mapping): SourceRecord[] {
  let bytes = 0
  const end = records.findIndex((record, i) => {
    bytes += Math.max(record.bytes, 1) * 1.5
    return i > 0 && (i >= batchSize * parallel || bytes > maxBatchBytes)
  })
  return end < 0 ? records : records.slice(0, end)
}

/** Reads pages until one is empty or contains records for the function. Returns these records and the last sequence number read. */
async function collect(shard: string, options: PollerOptions) {
  const { mapping, source, checkpoint, signal } = options
  const limit = Math.min(1_000, Math.max(100, mapping.batchSize * mapping.parallel))
  let last = checkpoint.get(shard)
  for (let pages = 1; !signal.aborted; pages++) {
    const records = await source.read(shard, last, limit)
    last = records.at(-1)?.sequence ?? last
    const relevant = records.filter((record) => mapping.filter(record.event) && !record.noop)
    if (records.length === 0 || relevant.length > 0) return { relevant: relevant, last }
    if (last !== undefined && pages % pagesPerCheckpoint === 0) checkpoint.set(shard, last)
  }
  return { relevant: [], last }
}

async function handle(batch: SourceRecord[], shard: string, options: PollerOptions): Promise<void> {
  const { mapping, checkpoint, label, invoke, storeFailure, signal, pauseMs } = options
  const lanes = splitIntoLanes(batch, mapping.parallel)
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
      },
      markHandled(record) {
        // Stores the checkpoint here only if there is a single lane. Several lanes finish in any order, so their checkpoint is stored after
        // all of them.
        if (lanes.length === 1) checkpoint.set(shard, record.sequence)
      },
    })
  const deliveries = lanes.map(async (lane) => {
    for (let at = 0; at < lane.length; at += mapping.batchSize) await deliverOne(lane.slice(at, at + mapping.batchSize))
  })
  const rejection = (await Promise.allSettled(deliveries)).find((result) => result.status === 'rejected')
  if (rejection) throw rejection.reason
  const last = batch.at(-1)
  if (last) checkpoint.set(shard, last.sequence)
}

export async function pollShard(shard: string, options: PollerOptions): Promise<void> {
  const { signal, checkpoint, wake, label } = options
  let idle = shortestIdleMs
  let lastMessage: string | undefined
  while (!signal.aborted) {
    const countBefore = wake.count
    try {
      const { relevant, last } = await collect(shard, options)
      for (let rest = relevant; rest.length > 0; ) {
        const batch = nextBatch(rest, options.mapping)
        await handle(batch, shard, options)
        rest = rest.slice(batch.length)
        wake.notify()
      }
      if (signal.aborted) break
      if (last !== undefined) checkpoint.set(shard, last)
      lastMessage = undefined
      if (relevant.length > 0) continue
    } catch (error) {
      if (signal.aborted) break
      const message = messageOf(error)
      // Reports a persistent error, such as a full disk, only once.
      if (message !== lastMessage) process.stderr.write(`${label}: ${message}\n`)
      lastMessage = message
    }
    // Limits the polling rate of a busy service.
    await sleep(shortestIdleMs, undefined, { signal }).catch(() => undefined)
    idle = (await wake.since(countBefore, idle, signal)) ? shortestIdleMs : Math.min(idle * 2, longestIdleMs)
  }
}

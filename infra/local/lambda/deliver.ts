import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { Mapping } from '../../template/mapping.ts'
import { faultText } from '../files/fault.ts'
import type { SourceRecord } from './source.ts'

export type DiscardedBatch = {
  condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded'
  records: SourceRecord[]
  invocations: number
  error: string
}

export type Delivery = {
  mapping: Pick<Mapping, 'bisect' | 'maxRetries' | 'maxAgeSeconds' | 'reportsItemFailures'>
  invoke(event: { Records: unknown[] }): Promise<unknown>
  /** Stores discarded records. The batch is complete only after they are stored. */
  discard(discard: DiscardedBatch): Promise<void>
  /** Called when all records up to and including this one are handled. */
  markHandled(record: SourceRecord): void
  signal: AbortSignal
  /** Pause in milliseconds before the first retry. Each further pause is twice as long, up to 10 s. */
  pauseMs?: number | undefined
}

const longestPauseMs = 10_000

/** Index of the first failed record, or 0 for an unknown identifier; undefined if no record failed. */
function firstFailure(result: unknown, records: SourceRecord[]): number | undefined {
  const failures = [fieldsOf(result).batchItemFailures ?? []].flat().map(fieldsOf)
  if (failures.length === 0) return undefined
  const indexes = failures.map(({ itemIdentifier: id }) => records.findIndex(({ sequence }) => sequence === String(id)))
  return indexes.includes(-1) ? 0 : Math.min(...indexes)
}

async function discardOld(records: SourceRecord[], delivery: Delivery, invocations: number, error: string) {
  const { maxAgeSeconds } = delivery.mapping
  if (maxAgeSeconds < 0) return records
  const oldest = Date.now() / 1_000 - maxAgeSeconds
  const old = records.filter(({ createdAt }) => createdAt < oldest)
  const last = old.at(-1)
  if (!last) return records
  await delivery.discard({ condition: 'RecordAgeExceeded', records: old, invocations, error })
  delivery.markHandled(last)
  return records.filter(({ createdAt }) => createdAt >= oldest)
}

/** Invokes the function once. The result's `from` is the index of the first record to retry; undefined if all records are handled. */
async function invoke(records: SourceRecord[], { mapping, invoke }: Delivery) {
  try {
    const result = await invoke({ Records: records.map(({ event }) => event) })
    const from = mapping.reportsItemFailures ? firstFailure(result, records) : undefined
    return { from, error: 'The function reported a failed record.' }
  } catch (error) {
    return { from: 0, error: faultText(error) }
  }
}

/**
 * Delivers a batch to a function as Lambda's event source mappings do. A failed batch resumes at the first failed record. If the mapping
 * bisects, the batch is split, which does not count as a retry. Records go to the failure destination when they are too old, or after the
 * last retry.
 * @throws the signal's reason when the service stops; the next start delivers unhandled records again
 */
export async function deliver(batch: SourceRecord[], delivery: Delivery): Promise<void> {
  const { mapping, signal, pauseMs = 100 } = delivery
  const parts = [batch]
  for (let part = parts.shift(); part; part = parts.shift()) {
    let retries = 0
    let invocations = 0
    let error = ''
    for (;;) {
      signal.throwIfAborted()
      part = await discardOld(part, delivery, invocations, error)
      const last = part.at(-1)
      if (!last) break
      const outcome = await invoke(part, delivery)
      invocations++
      if (outcome.from === undefined) {
        delivery.markHandled(last)
        break
      }
      error = outcome.error
      // Stops before a retry is counted, because stopping the service may have caused the failure.
      signal.throwIfAborted()
      const before = part[outcome.from - 1]
      if (before) {
        // Resets the retries, because the failed record is now the first of its batch.
        delivery.markHandled(before)
        part = part.slice(outcome.from)
        retries = 0
        continue
      }
      if (mapping.bisect && part.length > 1) {
        const middle = Math.ceil(part.length / 2)
        parts.unshift(part.slice(middle))
        part = part.slice(0, middle)
        retries = 0
        continue
      }
      if (mapping.maxRetries >= 0 && retries >= mapping.maxRetries) {
        await delivery.discard({ condition: 'RetryAttemptsExhausted', records: part, invocations, error })
        delivery.markHandled(part.at(-1) ?? last)
        break
      }
      await sleep(Math.min(pauseMs * 2 ** retries, longestPauseMs), undefined, { signal })
      retries++
    }
  }
}

/** Splits a batch into lanes that are handled in parallel. Records with the same key stay in one lane, in order. */
export function splitIntoLanes(records: SourceRecord[], parallel: number): SourceRecord[][] {
  if (parallel <= 1) return [records]
  const lanes: SourceRecord[][] = Array.from({ length: parallel }, () => [])
  for (const record of records) {
    let hash = 0
    for (let i = 0; i < record.key.length; i++) hash = (hash * 31 + record.key.charCodeAt(i)) >>> 0
    lanes[hash % parallel]?.push(record)
  }
  return lanes.filter((lane) => lane.length > 0)
}

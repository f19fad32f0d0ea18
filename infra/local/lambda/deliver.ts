import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { Mapping } from '../../template/mapping.ts'
import { faultText } from '../files/fault.ts'
import type { SourceRecord } from './source.ts'

export type Discard = {
  condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded'
  records: SourceRecord[]
  invocations: number
  error: string
}

export type Delivery = {
  mapping: Pick<Mapping, 'bisect' | 'maxRetries' | 'maxAgeSeconds' | 'reportsItemFailures'>
  invoke(event: { Records: unknown[] }): Promise<unknown>
  /** Keeps what is given up. Until it has, the batch is not done. */
  discard(discard: Discard): Promise<void>
  /** Everything up to this record is handled. */
  handled(record: SourceRecord): void
  signal: AbortSignal
  /** The first pause before a retry; every further one is twice as long. */
  pauseMs?: number | undefined
}

const longestPauseMs = 10_000

/** Index of the first record to retry: the lowest failed one, or 0 when the answer names none of them. */
function firstFailure(result: unknown, records: SourceRecord[]): number | undefined {
  const failures = [fieldsOf(result).batchItemFailures ?? []].flat().map(fieldsOf)
  if (failures.length === 0) return undefined
  const indexes = failures.map(({ itemIdentifier: id }) => records.findIndex(({ sequence }) => sequence === String(id)))
  return indexes.includes(-1) ? 0 : Math.min(...indexes)
}

/** Gives up what is older than the mapping allows, and answers the rest. */
async function withoutOld(records: SourceRecord[], delivery: Delivery, invocations: number, error: string) {
  const { maxAgeSeconds } = delivery.mapping
  if (maxAgeSeconds < 0) return records
  const oldest = Date.now() / 1_000 - maxAgeSeconds
  const old = records.filter(({ createdAt }) => createdAt < oldest)
  const last = old.at(-1)
  if (!last) return records
  await delivery.discard({ condition: 'RecordAgeExceeded', records: old, invocations, error })
  delivery.handled(last)
  return records.filter(({ createdAt }) => createdAt >= oldest)
}

/** Invokes the function once. `from` is the index of the first record to retry, undefined where all are handled. */
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
 * Hands a batch to a function as Lambda's event source mappings do: a failed batch is cut in two where the mapping
 * says so (which is no retry), retried from the lowest failed record, and given up to the failure destination when the
 * retries are spent or the records too old.
 * @throws the signal's reason when the service stops; what was not reported as handled comes again then.
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
      part = await withoutOld(part, delivery, invocations, error)
      const last = part.at(-1)
      if (!last) break
      const outcome = await invoke(part, delivery)
      invocations++
      if (outcome.from === undefined) {
        delivery.handled(last)
        break
      }
      error = outcome.error
      // Stopping may be the reason of the failure: it must not cost a record its retries.
      signal.throwIfAborted()
      const before = part[outcome.from - 1]
      if (before) {
        // The record that stands first now has not failed at the account version of a batch yet: its retries begin.
        delivery.handled(before)
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
        delivery.handled(part.at(-1) ?? last)
        break
      }
      await sleep(Math.min(pauseMs * 2 ** retries, longestPauseMs), undefined, { signal })
      retries++
    }
  }
}

/** The lanes of a batch that are handled at the same time; records of one key stay in one lane, in order. */
export function lanesOf(records: SourceRecord[], parallel: number): SourceRecord[][] {
  if (parallel <= 1) return [records]
  const lanes: SourceRecord[][] = Array.from({ length: parallel }, () => [])
  for (const record of records) {
    let hash = 0
    for (let i = 0; i < record.key.length; i++) hash = (hash * 31 + record.key.charCodeAt(i)) >>> 0
    lanes[hash % parallel]?.push(record)
  }
  return lanes.filter((lane) => lane.length > 0)
}

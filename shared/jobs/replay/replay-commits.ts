import { commitItem, commitRecords } from '../../commit/commit-record.ts'
import { clock, parseTimestamp, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { readAccountId } from '../../core/event-account.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { commitKey } from '../../table/keys.ts'
import { imageOf } from '../../table/stream-image.ts'
import { handOver, type Invoke } from '../hand-over.ts'

type Replay = { account: string; begin: number; end: number; consumers: string[] }

export type ReplayResult = {
  commits: number
  /** Records that a consumer failed to handle. */
  kept: { sequence: number; consumer: string; reason: string }[]
  /** Time of the first record that was not replayed for lack of time. Null if all records were replayed. */
  next: string | null
}

const perBatch = 50

function readEvent(event: unknown): Replay {
  const account = readAccountId(event)
  const { begin, end, consumers } = fieldsOf(event)
  const bad = (detail: string) => new ApiError('bad_request', detail)
  const instant = (value: unknown, name: string): number => {
    const micros = typeof value === 'string' ? parseTimestamp(value) : null
    if (micros === null) throw bad(`${name} must be an RFC 3339 timestamp.`)
    return micros
  }
  if (
    !Array.isArray(consumers) ||
    consumers.length === 0 ||
    !consumers.every((consumer) => typeof consumer === 'string')
  ) {
    throw bad('consumers must be a list of function ARNs.')
  }
  const to = end === undefined ? clock.now() : instant(end, 'end')
  return { account, begin: instant(begin, 'begin'), end: to, consumers }
}

/**
 * Invokes stream consumers with the commit records of an account, because a restored table has a new, empty stream
 * (docs/runbooks/restore.md).
 * @throws ApiError `bad_request` if the event lacks an account, a time or consumers
 */
export async function replayCommits(
  event: unknown,
  invoke: Invoke,
  hasTime: () => boolean = () => true,
): Promise<ReplayResult> {
  const { account, begin, end, consumers } = readEvent(event)
  const result: ReplayResult = { commits: 0, kept: [], next: null }
  let batch: { sequence: number; record: object }[] = []
  const deliver = async () => {
    for (const consumer of consumers) {
      const records = batch.map(({ record }) => record)
      for (const { index, reason } of await handOver(invoke, consumer, records))
        result.kept.push({ sequence: Number(batch[index]?.sequence), consumer, reason })
    }
    result.commits += batch.length
    batch = []
  }
  for await (const commit of commitRecords(account, begin, end)) {
    if (batch.length === 0 && !hasTime()) return { ...result, next: timestamp(commit.time) }
    const SequenceNumber = String(commit.sequence)
    const NewImage = imageOf(commitItem(commitKey(commit.account_id, commit.sequence), commit))
    const record = { eventName: 'INSERT', dynamodb: { SequenceNumber, NewImage } }
    batch.push({ sequence: commit.sequence, record })
    // Ends a batch early after a large record: a record can be up to 400 KB, and a Lambda request up to 6 MB.
    if (batch.length === perBatch || JSON.stringify(record).length > 100_000) await deliver()
  }
  if (batch.length > 0) await deliver()
  return result
}

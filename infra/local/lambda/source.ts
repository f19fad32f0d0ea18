import type { WakeSignal } from './wake.ts'

/** Stream record in the form of a Lambda event, with the additional fields that the poller needs. */
export type SourceRecord = {
  sequence: string
  /** Seconds since 1970. */
  createdAt: number
  event: unknown
  /** Ordering key: records with the same key are handled in order. */
  key: string
  bytes: number
  /** True for an update that changes nothing. DynamoDB writes no stream record for such an update. */
  noop: boolean
}

export type RecordPage = {
  records: SourceRecord[]
  /** True if the stream probably contains later records. */
  isFull: boolean
  /** Value of the source's `writes.count` when the page was requested. Writes up to then are in this page or in later ones. */
  count: number
}

export type Source = {
  kind: 'dynamodb' | 'kinesis'
  arn: string
  writes: WakeSignal
  shards(): Promise<string[]>
  /** Reads the records after a sequence number, or from the beginning if `after` is undefined. */
  read(shard: string, after: string | undefined, limit: number): Promise<RecordPage>
}

type Engine = {
  createIterator(shard: string, after: string | undefined): Promise<string>
  getRecords(
    iterator: string,
    limit: number,
    shard: string,
  ): Promise<{ records: SourceRecord[]; next: string | undefined }>
}

/** Validity of an iterator in milliseconds. The engines accept an iterator for at least five minutes. */
const iteratorMs = 120_000

/**
 * Saves the request for an iterator, because the last page's iterator is used again. After an empty page, the same iterator is used instead
 * of the next, because the Kinesis engine advances the next by its clock. A record that is being stored at that moment would be skipped.
 */
function pageReader({ createIterator, getRecords }: Engine) {
  const positions = new Map<string, { after: string | undefined; iterator: string; until: number }>()
  return async (shard: string, after: string | undefined, limit: number): Promise<SourceRecord[]> => {
    let position = positions.get(shard)
    if (!position || position.after !== after || performance.now() > position.until) {
      position = { after, iterator: await createIterator(shard, after), until: performance.now() + iteratorMs }
    }
    positions.delete(shard)
    const { records, next } = await getRecords(position.iterator, limit, shard)
    const last = records.at(-1)
    if (!last) positions.set(shard, position)
    else if (next) positions.set(shard, { after: last.sequence, iterator: next, until: performance.now() + iteratorMs })
    return records
  }
}

/** Size in bytes from which an engine may return fewer records than requested. */
const fullPageBytes = 512 * 1024

const isFull = (records: SourceRecord[], limit: number): boolean =>
  records.length >= limit || records.reduce((sum, { bytes }) => sum + bytes, 0) > fullPageBytes

/**
 * Creates the `read` of a source that several consumers share. They are at nearly the same position, so the first one reads a page and the
 * others take it, or the rest of it, without a request.
 */
export function sharedReader(engine: Engine, writes: WakeSignal): Source['read'] {
  /** Last request of each shard, and its page once it has arrived. */
  type Reading = { after: string | undefined; response: Promise<RecordPage>; page?: RecordPage }
  const read = pageReader(engine)
  const readings = new Map<string, Reading>()
  return (shard, after, limit) => {
    const last = readings.get(shard)
    if (last && last.after === after) return last.response
    const page = last?.page
    const index = page?.records.findIndex(({ sequence }) => sequence === after) ?? -1
    if (page && index >= 0 && index < page.records.length - 1)
      return Promise.resolve({ ...page, records: page.records.slice(index + 1) })
    const { count } = writes
    const response = read(shard, after, limit).then((records) => ({ records, isFull: isFull(records, limit), count }))
    const reading: Reading = { after, response }
    readings.set(shard, reading)
    const forget = () => {
      if (readings.get(shard) === reading) readings.delete(shard)
    }
    response.then((arrived) => {
      reading.page = arrived
      // Forgets an empty page, because later reads may find records.
      if (arrived.records.length === 0) forget()
    }, forget)
    return response
  }
}

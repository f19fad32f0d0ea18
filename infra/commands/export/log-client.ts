import { setTimeout as sleep } from 'node:timers/promises'
import { timestamp } from '#shared/core/clock.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { instantOf, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import type { ExportSeal } from '#shared/seal/export/export-seal.ts'
import { StartupError } from '../../local/files/fault.ts'

/** Time range of a log in microseconds since 1970, both ends included. */
type Range = { type: ExportType; begin: number; end: number }
type Page = { data: ExportedEntry[]; metadata: { next_page: string | null } }
type Answer = { status: number; body: { data: never; detail?: string } }

const tries = 8
/** Attempts before the first response; few, because a service that never responded is probably down, not busy. */
const firstTries = 4

/** Requests the logs with an API token, and retries when the service is busy, failing or unreachable. */
export class LogClient {
  private readonly baseUrl: string
  private readonly token: string
  private hasAnswered = false

  constructor(baseUrl: string, token: string) {
    this.baseUrl = baseUrl.replace(/\/$/, '')
    this.token = token
  }

  /** @throws StartupError when there is no answer */
  async ask(path: string, query: Record<string, string> = {}): Promise<Answer> {
    const url = `${this.baseUrl}${path}?${new URLSearchParams(query)}`
    for (let n = 1; ; n++) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${this.token}` } }).catch(() => null)
      if (response && response.status !== 429 && response.status < 500) {
        const body = fieldsOf(await response.json().catch(() => null)) as Answer['body']
        return { status: response.status, body }
      }
      this.hasAnswered ||= response !== null
      if (n === (this.hasAnswered ? tries : firstTries))
        throw new StartupError(`${this.baseUrl} ${response ? `returned ${response.status}` : 'does not respond'}.`)
      const after = Number(response?.headers.get('retry-after') ?? 0)
      await sleep(Math.max(after * 1_000, 100 * 2 ** n))
    }
  }

  /** The body of a response that is a success. @throws StartupError for any other */
  async get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const { status, body } = await this.ask(path, query)
    if (status !== 200) throw new StartupError(`GET ${path} returned ${status}: ${body.detail ?? ''}`)
    return body as T
  }

  /** The entries of a range, newest first, page by page. */
  async *pages({ type, begin, end }: Range, limit = '100'): AsyncGenerator<ExportedEntry[]> {
    const query = { type, begin: timestamp(begin), end: timestamp(end), limit, total_limit: '0' }
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, metadata }: Page = await this.get('/logs', { ...query, ...(cursor && { page_cursor: cursor }) })
      yield data
      cursor = metadata.next_page
    }
  }

  async newest(range: Range): Promise<ExportedEntry | null> {
    if (range.begin > range.end) return null
    const { value } = await this.pages(range, '1').next()
    return value?.[0] ?? null
  }

  /** Finds the oldest entry from an instant on, by binary search over time. */
  async oldest(type: ExportType, begin: number): Promise<ExportedEntry | null> {
    const some = await this.newest({ type, begin, end: lastLogMicros })
    if (!some) return null
    const isBy = async (end: number) => (await this.newest({ type, begin, end })) !== null
    const at = await findLeast(begin, instantOf(some.log_id), isBy)
    // Entries of one commit share their timestamp.
    const pages = await Array.fromAsync(this.pages({ type, begin: at, end: at }))
    return pages.at(-1)?.at(-1) ?? some
  }

  /** Fetches an entry's proof in a log of this size; null if the log does not cover the entry yet. */
  async fetchProof(entry: ExportedEntry | null | undefined, size: number): Promise<CoveredEntry | null> {
    if (!entry) return null
    const path = `/logs/${entry.log_id}/proof`
    const { status, body } = await this.ask(path, { size: String(size) })
    if (status === 409 || status === 400) return null
    if (status !== 200) throw new StartupError(`GET ${path} returned ${status}: ${body.detail ?? ''}`)
    return { entry, proof: body.data }
  }
}

/** Binary search for the least number from `low` on that passes a monotonic test; `high` if no smaller one does. */
export async function findLeast(low: number, high: number, holds: (n: number) => Promise<boolean>): Promise<number> {
  if (low >= high) return high
  const middle = Math.floor((low + high) / 2)
  return (await holds(middle)) ? findLeast(low, middle, holds) : findLeast(middle + 1, high, holds)
}

export type ExportType = ExportSeal['stream']

/** Parts of the responses of `/logs` and `/logs/checkpoints` that an export uses. */
export type ExportedEntry = { log_id: string; timestamp: string }
export type Proof = {
  leaf_index: number
  path: string[]
  hour?: { hour: string; stream: ExportType; size: number; index: number; path: string[] }
}
export type CoveredEntry = { entry: ExportedEntry; proof: Proof }
export type FetchedCheckpoint = {
  size: number
  /** Null before the first checkpoint. */
  note: string | null
  verifier_key: string
  follows: { note: string; origin: string; shared: number } | null
}

export type ExportOptions = Range & {
  out: string
  /** The checkpoint that this one must extend: a note, or a file with a note or an export. */
  against?: string
  /** Called with the written part of the time range, from 0 to 1, and the number of entries. */
  progress?: (part: number, entries: number) => void
}

import { setTimeout as sleep } from 'node:timers/promises'
import { timestamp } from '#shared/core/clock.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { instantOf, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import type { ExportSeal } from '#shared/seal/export/export-seal.ts'
import { StartupError } from '../../local/files/fault.ts'

/** Time range of a log, in microseconds since 1970. Both ends are included. */
type Range = { type: ExportType; begin: number; end: number }
type Page = { data: ExportedEntry[]; metadata: { next_page: string | null } }
type LogResponse = { status: number; body: { data: never; detail?: string } }

const maxAttempts = 8
/** Maximum attempts before the first response. The number is low, because a service that never responded is probably down. */
const maxFirstAttempts = 4

export class LogClient {
  private readonly baseUrl: string
  private readonly token: string
  private hasResponded = false

  constructor(baseUrl: string, token: string) {
    this.baseUrl = baseUrl.replace(/\/$/, '')
    this.token = token
  }

  /**
   * Requests a path with retries, and returns any response except 429 and 5xx.
   * @throws StartupError if all attempts fail
   */
  async request(path: string, query: Record<string, string> = {}): Promise<LogResponse> {
    const url = `${this.baseUrl}${path}?${new URLSearchParams(query)}`
    for (let n = 1; ; n++) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${this.token}` } }).catch(() => null)
      if (response && response.status !== 429 && response.status < 500) {
        const body = fieldsOf(await response.json().catch(() => null)) as LogResponse['body']
        return { status: response.status, body }
      }
      this.hasResponded ||= response !== null
      if (n === (this.hasResponded ? maxAttempts : maxFirstAttempts))
        throw new StartupError(`${this.baseUrl} ${response ? `returned ${response.status}` : 'does not respond'}.`)
      const after = Number(response?.headers.get('retry-after') ?? 0)
      await sleep(Math.max(after * 1_000, 100 * 2 ** n))
    }
  }

  /**
   * Requests a path and returns the body of a 200 response.
   * @throws StartupError for any other status
   */
  async get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const { status, body } = await this.request(path, query)
    if (status !== 200) throw new StartupError(`GET ${path} returned ${status}: ${body.detail ?? ''}`)
    return body as T
  }

  /** Yields the entries of a range page by page, newest first. */
  async *pages({ type, begin, end }: Range, limit = '1000'): AsyncGenerator<ExportedEntry[]> {
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

  /** Finds the oldest entry at or after `begin` (microseconds since 1970), by binary search over time. */
  async oldest(type: ExportType, begin: number): Promise<ExportedEntry | null> {
    const some = await this.newest({ type, begin, end: lastLogMicros })
    if (!some) return null
    const isBy = async (end: number) => (await this.newest({ type, begin, end })) !== null
    const at = await findLeast(begin, instantOf(some.log_id), isBy)
    // Takes the last entry of the last page, which is the oldest. Several entries can match, because entries of one commit share a
    // timestamp.
    const pages = await Array.fromAsync(this.pages({ type, begin: at, end: at }))
    return pages.at(-1)?.at(-1) ?? some
  }

  /** Fetches the proof that the checkpoint of this size covers the entry; null if it does not. */
  async fetchProof(entry: ExportedEntry | null | undefined, size: number): Promise<CoveredEntry | null> {
    if (!entry) return null
    const path = `/logs/${entry.log_id}/proof`
    const { status, body } = await this.request(path, { size: String(size) })
    if (status === 409 || status === 400) return null
    if (status !== 200) throw new StartupError(`GET ${path} returned ${status}: ${body.detail ?? ''}`)
    return { entry, proof: body.data }
  }
}

/** Finds the lowest number from `low` to `high` that passes a monotonic test, by binary search. Never tests `high`. */
export async function findLeast(low: number, high: number, holds: (n: number) => Promise<boolean>): Promise<number> {
  if (low >= high) return high
  const middle = Math.floor((low + high) / 2)
  return (await holds(middle)) ? findLeast(low, middle, holds) : findLeast(middle + 1, high, holds)
}

export type ExportType = ExportSeal['stream']

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
  /** Earlier checkpoint that the export must extend: a note, or the path of a note or export. */
  against?: string
  /** Called with the fraction of the time range that is written, from 0 to 1, and the number of entries. */
  progress?: (fraction: number, entries: number) => void
}

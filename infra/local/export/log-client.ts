import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#shared/core/json/is-object.ts'
import { Fault } from '../fault.ts'
import type { Entry, ExportType } from './log-answers.ts'

type Range = { type: ExportType; begin: string; end: string }
type Page = { data: Entry[]; metadata: { next_page: string | null } }
type Answer = { status: number; body: Record<string, never> & { data: never; detail?: string; code?: string } }

const tries = 8
/** One that has never answered is not there, more likely than busy. */
const firstTries = 4

const perPage = '100'

/** Asks the API with a token; what may pass by itself is asked again. */
export class LogClient {
  private readonly baseUrl: string
  private readonly token: string
  private hasAnswered = false

  constructor(baseUrl: string, token: string) {
    this.baseUrl = baseUrl.replace(/\/$/, '')
    this.token = token
  }

  /** @throws Fault when there is no answer */
  async ask(path: string, query: Record<string, string> = {}): Promise<Answer> {
    const url = `${this.baseUrl}${path}?${new URLSearchParams(query)}`
    for (let n = 1; ; n++) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${this.token}` } }).catch(() => null)
      if (response && response.status !== 429 && response.status < 500) {
        const body: unknown = await response.json().catch(() => null)
        return { status: response.status, body: (isObject(body) ? body : {}) as Answer['body'] }
      }
      this.hasAnswered ||= response !== null
      if (n === (this.hasAnswered ? tries : firstTries))
        throw new Fault(`${this.baseUrl} ${response ? `answers ${response.status}` : 'does not answer'}.`)
      const after = Number(response?.headers.get('retry-after') ?? 0)
      await sleep(Math.max(after * 1_000, 100 * 2 ** n))
    }
  }

  /** The body of an answer that is a success. @throws Fault for any other */
  async get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const { status, body } = await this.ask(path, query)
    if (status !== 200) throw new Fault(`GET ${path} answers ${status}: ${body.detail ?? ''}`)
    return body as T
  }

  /** The entries of a range, newest first, page by page. */
  async *pages({ type, begin, end }: Range, limit = perPage): AsyncGenerator<Entry[]> {
    const query = { type, begin, end, limit, total_limit: '0' }
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, metadata }: Page = await this.get('/logs', { ...query, ...(cursor && { page_cursor: cursor }) })
      yield data
      cursor = metadata.next_page
    }
  }
}

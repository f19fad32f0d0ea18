import { setTimeout as sleep } from 'node:timers/promises'
import { Service } from '../../docs/examples/service.ts'
import type { WalkedCompany } from './walked-company.ts'

export type Counts = { insert: number; update: number; delete: number }
export type Run = {
  id: string
  started_at: string
  finished_at: string | null
  outcome: string | null
  error: string | null
  seen: Record<string, number>
  planned: Record<string, Counts>
  applied: Record<string, Counts>
  skipped: Record<string, number>
}
export type Entry = { timestamp: string; run_id: string | null; object: string; operation: string; subject: unknown }
export type Listed<T> = { data: T[]; metadata: { count: number; next_page: string | null } }

type Options = {
  company: WalkedCompany
  baseUrl: string
  token: string
  /** Triggers the check for due sync runs, which the service otherwise performs every minute. */
  wake(): void
}

/** API client of an administrator whose account has one directory. */
export class Administrator {
  readonly service: Service
  readonly #walk: Options
  #directory = ''

  constructor(walk: Options) {
    this.#walk = walk
    this.service = new Service(walk.baseUrl, walk.token)
  }

  get #kind() {
    return this.#walk.company.kind
  }

  get #path(): string {
    return `/${this.#kind}_directories/${this.#directory}`
  }

  async makeDirectory(): Promise<void> {
    const fields = { name: 'Company', is_disabled: true, ...this.#walk.company.directory }
    const body = { [`${this.#kind}_directory`]: fields }
    const created = await this.service.request<{ id: string }>('POST', `/${this.#kind}_directories`, body)
    this.#walk.company.connect(created)
    this.#directory = created.id
  }

  changeDirectory = (fields: object) =>
    this.service.request<Record<string, unknown>>('PATCH', this.#path, { [`${this.#kind}_directory`]: fields })

  directory = () => this.service.request<Record<string, unknown>>('GET', this.#path)

  post = (what: string) => this.service.request<Run>('POST', `${this.#path}/${what}`)

  /** Waits for a run newer than `before` to finish. */
  async finished(before: string | null): Promise<Run> {
    for (let looks = 0; ; looks++) {
      if (looks % 10 === 0) this.#walk.wake()
      const [run] = (await this.service.send<Listed<Run>>('GET', `${this.#path}/runs?limit=1`)).data
      if (run && run.id !== before && run.finished_at !== null) return run
      await sleep(300)
    }
  }

  changesOf = async (run: Run): Promise<number> =>
    (await this.service.send<Listed<object>>('GET', `${this.#path}/runs/${run.id}/changes?limit=1`)).metadata.count

  /** Returns the numbers of actors and groups. */
  async totals(): Promise<Record<string, number>> {
    const count = async (path: string) =>
      (await this.service.send<Listed<object>>('GET', `${path}?limit=1`)).metadata.count
    const [actors, groups] = await Promise.all([count('/actors'), count('/groups')])
    return { actors, groups }
  }

  /** Reads the change log entries of sync runs since `begin`, by run id and then by object and operation. */
  async changeLog(begin = '2000-01-01T00:00:00Z'): Promise<Map<string, Map<string, Entry[]>>> {
    const byRun = new Map<string, Map<string, Entry[]>>()
    const query = `type=change&limit=1000&total_limit=0&begin=${begin}`
    for (let next: string | null = ''; next !== null; ) {
      const cursor: string = next === '' ? '' : `&page_cursor=${encodeURIComponent(next)}`
      const page: Listed<Entry> = await this.service.send('GET', `/logs?${query}${cursor}`)
      for (const entry of page.data) {
        if (entry.run_id === null) continue
        const runEntries = byRun.get(entry.run_id) ?? new Map<string, Entry[]>()
        byRun.set(entry.run_id, runEntries)
        const name = `${entry.object} ${entry.operation}`
        const entries = runEntries.get(name)
        if (entries) entries.push(entry)
        else runEntries.set(name, [entry])
      }
      next = page.metadata.next_page
    }
    return byRun
  }
}

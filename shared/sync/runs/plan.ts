import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Transaction } from '../../commit/transaction.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { brakeError } from '../../domain/sync/sync-state.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { type Key, partition } from '../../table/keys.ts'
import { bytesOf } from '../../table/large-attributes.ts'
import { getRows, queryItems, sortKeysOf } from '../../table/read.ts'
import { table, tableName } from '../../table/table.ts'
import { type Counts, countChange, type PlanDescribers, type Run, type RunSkipped, zeroCounts } from './run.ts'
import { runTtl } from './run-store.ts'
import type { RunWork } from './run-work.ts'

/** Partition that contains the pages of a run's plan, sorted by section and index. */
const plansPartition = (account: string, runId: string): string => partition(account, 'sync.plans', runId)

const perPage = 500
/** Maximum size of a page's JSON, in bytes. JSON of this size fits in one item even if it cannot be compressed. */
const maxBytes = 300_000

const sortKey = (section: number, index: number): string =>
  `${String(section).padStart(2, '0')}#${String(index).padStart(9, '0')}`

type PlanPage = Key & { first: number; entries: Uint8Array }

/** Deletes the pages of an unfinished plan, starting with section `from`, so that none of them remain among the new pages. */
export async function discardPlan(run: Run, from = 0): Promise<void> {
  const pk = plansPartition(run.account_id, run.id)
  const drop = (sk: string) => table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))
  await inParallel(await sortKeysOf(pk, { after: sortKey(from, 0), inclusive: true }), 10, drop)
}

type OpenPage = { section: number; first: number; entries: unknown[]; bytes: number }

type WrittenPlan = { sections: Run['sections']; counts: Run['planned'] }

export class PlanWriter<M extends object> {
  private readonly counts: Run['planned']
  private readonly work: RunWork
  private readonly plan: PlanDescribers<M>
  private readonly pages: Record<keyof M & string, OpenPage>

  constructor(work: RunWork, plan: PlanDescribers<M>, objects: readonly string[]) {
    this.work = work
    this.plan = plan
    this.counts = zeroCounts(objects)
    const names = Object.keys(plan) as (keyof M & string)[]
    this.pages = recordOf(names, (name) => ({ section: names.indexOf(name), first: 0, entries: [], bytes: 0 }))
  }

  async add<S extends keyof M & string>(name: S, entry: M[S]): Promise<void> {
    // Saves the progress first, so that a step without the lease fails before it writes to the plan of a different worker.
    if (this.work.isSaveDue) await this.work.save()
    const page = this.pages[name]
    const bytes = bytesOf(entry)
    if (page.entries.length === perPage || page.bytes + bytes > maxBytes) await this.flush(page)
    page.entries.push(entry)
    page.bytes += bytes
    const { object, change } = this.plan[name](entry)
    countChange(this.counts, object, change)
  }

  /** Writes the last pages. Returns the number of entries by section and the number of changes by kind of object. */
  async end(): Promise<WrittenPlan> {
    const pages = Object.entries<OpenPage>(this.pages)
    for (const [, page] of pages) await this.flush(page)
    return { sections: Object.fromEntries(pages.map(([name, { first }]) => [name, first])), counts: this.counts }
  }

  private async flush(page: OpenPage): Promise<void> {
    const { section, first, entries } = page
    if (entries.length === 0) return
    const { account_id, id, started_at } = this.work.run
    const Item = {
      pk: plansPartition(account_id, id),
      sk: sortKey(section, first),
      kind: 'plan',
      ttl: runTtl(started_at),
      first,
      entries: zstdCompressSync(JSON.stringify(entries)),
    }
    await table().send(new PutCommand({ TableName: tableName(), Item }))
    Object.assign(page, { first: first + entries.length, entries: [], bytes: 0 })
  }
}

export class PlanReader {
  private readonly pk: string
  private page: { section: number; first: number; entries: unknown[] } | null = null

  constructor({ account_id, id }: Pick<Run, 'account_id' | 'id'>) {
    this.pk = plansPartition(account_id, id)
  }

  /** Returns at most `limit` entries of a section, starting at an index. Does not read beyond the end of the stored page. */
  async read<T>(section: number, index: number, limit: number): Promise<T[]> {
    const { page } = this
    const isCached = page?.section === section && index >= page.first && index < page.first + page.entries.length
    const { first, entries } = isCached ? page : await this.loadPage(section, index)
    return entries.slice(index - first, index - first + limit) as T[]
  }

  private async loadPage(section: number, index: number) {
    const range = { after: sortKey(section, index), inclusive: true, backward: true, limit: 1 }
    const [item] = await queryItems<PlanPage>(this.pk, range)
    if (!item?.sk.startsWith(sortKey(section, 0).slice(0, 3))) throw new Error('A page of the plan is missing.')
    const entries: unknown[] = JSON.parse(zstdDecompressSync(item.entries).toString())
    this.page = { section, first: item.first, entries }
    return this.page
  }
}

/**
 * Deletions by kind of object (I5.3). `lost` counts objects that are absent from the snapshot, and `inactive` those that the provider
 * reports as inactive. `owned` counts all objects before the run.
 */
export type Losses = Record<string, { lost: number; owned: number; inactive?: number }>

/** Written plan. `absent` contains the provider's ids of people or devices that are missing from the snapshot. */
export type PlanResult = WrittenPlan & { losses: Losses; absent: string[] }

export type StageContext = { transaction: Transaction; sourceId: string; startedAt: string }

export type StagedChange = {
  /** Number of entries that need no further work, including skipped entries. */
  handled: number
  changes: { object: string; change: keyof Counts }[]
  skipped: RunSkipped[]
  /** True if the commit deletes an administrator or an administrator's identity. Only administrators may rewind such a run (I4.1(6)). */
  deletedAdministrator?: boolean
}

/**
 * Result of staging one entry: a change, a skipped entry, undefined for no change, or `more` if the entry does not fit entirely in the
 * commit.
 */
export type StageOutcome = keyof Counts | RunSkipped | undefined | 'more'

/** Stages entries while the commit has capacity for `writes` more writes. Counts the changes under the object kind `object`. */
export async function stageEach<E>(
  transaction: Transaction,
  object: string,
  entries: E[],
  writes: number | undefined,
  stage: (entry: E, i: number, staged: StagedChange) => StageOutcome | Promise<StageOutcome>,
): Promise<StagedChange> {
  const staged: StagedChange = { handled: 0, changes: [], skipped: [] }
  for (const [i, entry] of entries.entries()) {
    const outcome = transaction.hasCapacity(writes) ? await stage(entry, i, staged) : 'more'
    if (outcome === 'more') break
    staged.handled++
    if (typeof outcome === 'object') staged.skipped.push(outcome)
    else if (outcome) staged.changes.push({ object, change: outcome })
  }
  return staged
}

/** Minimum number of deletions that can stop a run, unless every object of the kind would be deleted (I5.3). */
const minLost = 10

/**
 * Returns the sentence with which the deletion brake stops a run, or null if the run may proceed (I5.3). Checks each kind of object
 * separately. Includes people whom the provider reports as inactive only if nobody would remain.
 * @param percent maximum percentage of deletions
 */
export function brake(losses: Losses, percent: number): string | null {
  for (const [noun, { lost, owned, inactive = 0 }] of Object.entries(losses)) {
    const deleted = lost + inactive
    const isAll = deleted > 0 && deleted >= owned
    const isTooMany = lost >= minLost && lost * 100 > owned * percent
    if (isAll || isTooMany) return brakeError(deleted, owned, noun)
  }
  return null
}

const batchSize = 100

export async function* batches<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const one of source) {
    batch.push(one)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Reads the rows to which the entries refer, in the same order. Returns null for a missing row. */
export const readEntryRows = <R extends Row>(entity: Entity<R>, account: string, entries: { id: string }[]) =>
  getRows(
    entity,
    account,
    entries.map(({ id }) => id),
  )

/** Reads the rows with these ids in batches. Omits missing rows. */
export async function* readRows<R extends Row>(entity: Entity<R>, account: string, ids: string[]): AsyncGenerator<R> {
  for await (const batch of batches(ids)) {
    for (const row of await getRows(entity, account, batch)) if (row) yield row
  }
}

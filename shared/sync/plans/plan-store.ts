import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { inParallel } from '../../core/work/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, PutCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { queryItems, sortKeysOf } from '../../table/read.ts'
import { bytesOf } from '../../table/row-size.ts'
import type { Run } from '../runs/run.ts'
import { runTtl } from '../runs/run-items.ts'

/** The plan of a run: what it will change, by section, in the order in which it is done. */
const plansPartition = (account: string, runId: string): string => partition(account, 'sync.plans', runId)

const perPage = 500
/** Of JSON: whatever it says, it fits an item. */
const mostBytes = 300_000

const sortKey = (section: number, index: number): string =>
  `${String(section).padStart(2, '0')}#${String(index).padStart(9, '0')}`

type PlanPage = Key & { first: number; entries: Uint8Array }

type Buffer = { entries: unknown[]; bytes: number; stored: number }

/**
 * Takes away what a step that died has left of a plan: a plan that is made again may have other pages, between which those
 * would be found.
 * @param from the first section that is made again
 */
export async function discardPlan(run: Run, from = 0): Promise<void> {
  const pk = plansPartition(run.account_id, run.id)
  const drop = (sk: string) => table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))
  await inParallel(await sortKeysOf(pk, { after: sortKey(from, 0), inclusive: true }), 10, drop)
}

/** Writes the sections of a plan side by side, a page at a time. */
export class PlanWriter {
  private readonly run: Run
  private readonly names: readonly string[]
  private readonly buffers: Buffer[]

  constructor(run: Run, names: readonly string[]) {
    this.run = run
    this.names = names
    this.buffers = names.map(() => ({ entries: [], bytes: 0, stored: 0 }))
  }

  async add(name: string, entry: unknown): Promise<void> {
    const section = this.names.indexOf(name)
    const buffer = this.buffers[section]
    if (!buffer) throw new Error(`A plan has no section ${name}.`)
    const bytes = bytesOf(entry)
    if (buffer.entries.length === perPage || (buffer.bytes + bytes > mostBytes && buffer.entries.length > 0)) {
      await this.flush(section, buffer)
    }
    buffer.entries.push(entry)
    buffer.bytes += bytes
  }

  /** The number of entries of each section. */
  async end(): Promise<Record<string, number>> {
    for (const [section, buffer] of this.buffers.entries()) await this.flush(section, buffer)
    return Object.fromEntries(this.names.map((name, i) => [name, this.buffers[i]?.stored ?? 0]))
  }

  private async flush(section: number, buffer: Buffer): Promise<void> {
    if (buffer.entries.length === 0) return
    const Item = {
      pk: plansPartition(this.run.account_id, this.run.id),
      sk: sortKey(section, buffer.stored),
      kind: 'plan',
      ttl: runTtl(this.run.started_at),
      first: buffer.stored,
      entries: zstdCompressSync(JSON.stringify(buffer.entries)),
    }
    await table().send(new PutCommand({ TableName: tableName(), Item }))
    buffer.stored += buffer.entries.length
    buffer.entries = []
    buffer.bytes = 0
  }
}

/** Reads entries of a plan; the page that was read last stays at hand. */
export class PlanReader {
  private readonly pk: string
  private page: { section: number; first: number; entries: unknown[] } | null = null

  constructor(account: string, runId: string) {
    this.pk = plansPartition(account, runId)
  }

  /** Entries of a section from an index on, at most `limit` and as many as lie on one page. */
  async read<T>(section: number, index: number, limit: number): Promise<T[]> {
    const isHere =
      this.page?.section === section && index >= this.page.first && index < this.page.first + this.page.entries.length
    if (!isHere) this.page = await this.pageOf(section, index)
    const { first = 0, entries = [] } = this.page ?? {}
    return entries.slice(index - first, index - first + limit) as T[]
  }

  private async pageOf(section: number, index: number) {
    const range = { after: sortKey(section, index), inclusive: true, backward: true, limit: 1 }
    const [item] = await queryItems<PlanPage>(this.pk, range)
    if (!item?.sk.startsWith(sortKey(section, 0).slice(0, 3))) throw new Error('A page of the plan is gone.')
    const entries: unknown[] = JSON.parse(zstdDecompressSync(item.entries).toString())
    return { section, first: item.first, entries }
  }
}

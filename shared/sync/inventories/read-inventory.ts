import type { LastGoodRun } from '../../domain/sync/last-good-run.ts'
import type { InventoryAdapter } from '../inventory-adapter.ts'
import { ProviderFault } from '../provider-fault.ts'
import { askProvider } from '../read/ask-provider.ts'
import { countBarren } from '../read/barren-pages.ts'
import { ChunkCutter, type Chunks } from '../read/chunks.ts'
import { restartList } from '../read/restart-list.ts'
import { chunksOf, isReusable } from '../read/source-chunks.ts'
import type { Reading } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'
import { StepOver } from '../runs/step-end.ts'
import { hasBuckets, isPartOf, type ListedDevice, partOf, readInventoryRoot } from './inventory-snapshot.ts'
import { storedFields } from './stored-device.ts'

/** Chunks of about so many devices. */
const perChunk = 256

/** Tests make them smaller. */
export const inventoryBounds = {
  /** A snapshot holds at most so many. */
  devices: 500_000,
  /** So much of a list is held in memory, as JSON; one that is longer is divided. */
  heldBytes: 8_000_000,
}

const firstReading = (list: string): Reading => ({
  list,
  position: null,
  restarts: 0,
  read: 0,
  chunks: {},
  next: 0,
  scratch: null,
})

/** What the last good snapshot has is not written again. */
async function keepLast({ run }: RunWork, chunks: Chunks, last: LastGoodRun | undefined): Promise<void> {
  if (!last || !isReusable(last)) return
  try {
    const { parts } = await readInventoryRoot(chunks, last.root)
    chunks.keep([last.root, ...Object.values(parts).flat()])
    run.staged_at = last.staged_at
  } catch {
    // It is only of use; without it everything is written.
  }
}

/** What was read of a list and lies in no chunk yet. */
class HeldList {
  private readonly parts: Record<string, string[]>
  private readonly list: string
  private readonly chunks: Chunks
  private entries: ListedDevice[] = []
  private bytes = 0

  constructor(parts: Record<string, string[]>, list: string, chunks: Chunks) {
    this.parts = parts
    this.list = list
    this.chunks = chunks
  }

  get isFull(): boolean {
    return this.bytes > inventoryBounds.heldBytes
  }

  add(entry: ListedDevice): void {
    this.entries.push(entry)
    this.bytes += JSON.stringify(entry).length
  }

  /** The list begins anew. */
  drop(): void {
    for (const part of Object.keys(this.parts)) if (isPartOf(part, this.list)) delete this.parts[part]
    this.clear()
  }

  /** Stores what is held. A list that is stored in several goes, or comes after one that was, is divided into buckets. */
  async store(isWhole: boolean): Promise<void> {
    const isDivided = !isWhole || hasBuckets(this.parts)
    const groups = Map.groupBy(this.entries, ({ idp_id }) => partOf(this.list, idp_id, isDivided))
    for (const [part, entries] of groups) {
      const own = this.parts[part] ?? []
      this.parts[part] = own
      const cutter = new ChunkCutter<ListedDevice>(perChunk)
      for (const entry of entries) own.push(...(await this.chunks.put(cutter.add(entry) ?? [])))
      own.push(...(await this.chunks.put(cutter.rest())))
    }
    this.clear()
  }

  private clear(): void {
    this.entries = []
    this.bytes = 0
  }
}

/**
 * Reads all lists of an inventory into chunks, and seals the snapshot when each has ended. Nothing of the account changes. It
 * goes on where an earlier step has kept its place.
 * @throws ProviderFault when the run cannot go on
 */
export async function readInventory(
  work: RunWork,
  adapter: InventoryAdapter,
  last: LastGoodRun | undefined,
): Promise<void> {
  const { run } = work
  const { lists } = adapter
  const chunks = chunksOf(work)
  await keepLast(work, chunks, last)
  run.reading ??= firstReading(lists[0])
  const { reading } = run
  for (const list of lists.slice(lists.indexOf(reading.list))) {
    if (reading.list !== list) Object.assign(reading, { list, position: null, restarts: 0, read: 0 })
    await readList(work, adapter, reading, chunks)
  }
  const [root] = await chunks.put([{ lists, parts: reading.chunks }])
  run.root = root ?? null
  run.reading = null
}

/** Reads one list to its end, page by page. */
async function readList(work: RunWork, { lists, read }: InventoryAdapter, reading: Reading, chunks: Chunks) {
  const { run } = work
  const { list } = reading
  const isFirst = list === lists[0]
  const held = new HeldList(reading.chunks, list, chunks)
  const begin = () => {
    held.drop()
    reading.read = 0
    if (isFirst) run.seen.devices = 0
  }
  const keep = async (position: string | null) => {
    await held.store(false)
    reading.position = position
  }
  if (reading.position === null) begin()
  for (let position = reading.position; ; ) {
    const place = position
    const page = await askProvider(work, () => read(list, place)).catch(async (error) => {
      if (!(error instanceof StepOver)) return restartList(work, error)
      await keep(place)
      await work.save()
      throw error
    })
    if (page === 'again') {
      begin()
      position = null
      continue
    }
    for (const { idp_id, name, reason } of page.skipped) {
      // A device that cannot be used is counted when the snapshot is planned with: it may be read twice.
      if (isFirst) held.add({ idp_id, unusable: reason })
      else work.skip({ idp_id, name, reason })
      // The right can go between two pages: half of what a list tells would stand for the rest of it.
      if (reason === 'list_not_readable') held.drop()
    }
    for (const { mdm_id, fields } of page.entries) held.add({ idp_id: mdm_id, fields: storedFields(fields) })
    reading.read = (reading.read ?? 0) + page.entries.length
    if (isFirst) run.seen.devices = reading.read
    if (reading.read > inventoryBounds.devices) throw tooMany(list)
    if (page.next === null) break
    reading.barren = countBarren(list, reading.barren ?? 0, page.barren)
    position = page.next
    if (held.isFull || work.isDue) await keep(position)
    await work.keepPlace()
  }
  await held.store(true)
}

const tooMany = (list: string): ProviderFault => {
  const most = inventoryBounds.devices.toLocaleString('en')
  const what = list === 'devices' ? 'devices' : `devices in its list ${list}`
  return new ProviderFault('fatal', `The inventory has more than ${most} ${what}.`)
}

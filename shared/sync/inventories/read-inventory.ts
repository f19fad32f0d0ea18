import { hash } from 'node:crypto'
import type { LastGoodRun } from '../../domain/sync/sync-state.ts'
import { type InventoryAdapter, ProviderFault } from '../adapter.ts'
import { type Chunks, completeSnapshot, openChunks, reuseLastSnapshot } from '../read/chunks.ts'
import { eachPage } from '../read/read-list.ts'
import { newReading, type Reading } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'
import { deviceKey, type StoredFields, toStoredFields } from './stored-device.ts'

const perChunk = 256

/** Limits of an inventory snapshot (I7.3). Tests lower them. */
export const inventoryBounds = {
  devices: 500_000,
  /** Maximum size of the buffered JSON, in bytes. Longer lists are divided into buckets. */
  bufferedBytes: 8_000_000,
}

/**
 * Reads all lists of an inventory, starting from the saved position, and completes the snapshot.
 * @throws ProviderFault
 */
export async function readInventory(work: RunWork, adapter: InventoryAdapter, last: LastGoodRun | undefined) {
  const { run } = work
  const { lists } = adapter
  const chunks = openChunks(work)
  await reuseLastSnapshot(work, chunks, last, async (digest) => {
    const { parts } = await chunks.root<InventoryRoot>(digest)
    return { digests: Object.values(parts).flat() }
  })
  run.reading ??= newReading(lists[0], {})
  const { reading } = run
  for (const list of lists.slice(lists.indexOf(reading.list))) {
    if (reading.list !== list) Object.assign(reading, { list, position: null, restarts: 0, read: 0 })
    await readList(work, adapter, reading, chunks)
  }
  await completeSnapshot(run, chunks, { lists, parts: reading.chunks } satisfies InventoryRoot)
}

async function readList(work: RunWork, { lists, read }: InventoryAdapter, reading: Reading, chunks: Chunks) {
  const { run } = work
  const { list } = reading
  const isFirst = list === lists[0]
  const parts = reading.chunks
  let buffer: ListedDevice[] = []
  let bytes = 0
  const clear = () => {
    buffer = []
    bytes = 0
  }
  const add = (entry: ListedDevice) => {
    buffer.push(entry)
    bytes += JSON.stringify(entry).length
  }
  const drop = () => {
    for (const part of Object.keys(parts)) if (part === list || part.startsWith(`${list}#`)) delete parts[part]
    clear()
  }
  /** Stores the buffered entries, divided into buckets if this list or an earlier one exceeds the buffer. */
  const store = async (isWhole: boolean) => {
    const isDivided = !isWhole || hasBuckets(parts)
    for (const [part, entries] of Map.groupBy(buffer, ({ idp_id }) => partName(list, idp_id, isDivided))) {
      parts[part] = [...(parts[part] ?? []), ...(await chunks.putInChunks(entries, perChunk))]
    }
    clear()
  }
  const restart = () => {
    drop()
    reading.read = 0
    if (isFirst) run.seen.devices = 0
  }
  const savePosition = async (position: string | null) => {
    await store(false)
    reading.position = position
  }
  const pause = async (position: string | null) => {
    await savePosition(position)
    await work.save()
  }
  const advance = async (position: string) => {
    if (bytes > inventoryBounds.bufferedBytes || work.isSaveDue) await savePosition(position)
    await work.checkpoint()
  }
  if (reading.position === null) restart()
  const pages = eachPage(work, list, reading.position, (position) => read(list, position), { restart, pause, advance })
  for await (const { page } of pages) {
    for (const { idp_id, name, reason } of page.skipped) {
      // Stores unusable devices in the snapshot instead of counting them, because a page may be read twice. Planning counts them.
      if (isFirst) add({ idp_id, unusable: reason })
      else work.skip({ idp_id, name, reason })
      // Drops the entries that were read before, because the permission can be revoked between two pages.
      if (reason === 'list_not_readable') drop()
    }
    for (const { mdm_id, fields } of page.entries) add({ idp_id: mdm_id, fields: toStoredFields(fields) })
    reading.read = (reading.read ?? 0) + page.entries.length
    if (isFirst) run.seen.devices = reading.read
    if (reading.read > inventoryBounds.devices) throw tooMany(list)
  }
  await store(true)
}

const tooMany = (list: string): ProviderFault => {
  const limit = inventoryBounds.devices.toLocaleString('en')
  const noun = list === 'devices' ? 'devices' : `devices in its list ${list}`
  return new ProviderFault('fatal', `The inventory has more than ${limit} ${noun}.`)
}

export type ListedDevice = { idp_id: string; fields: StoredFields } | { idp_id: string; unusable: string }

/**
 * Root of a snapshot: the digests of its chunks, keyed by list or by list and bucket (`devices#7`). The first list contains all devices.
 */
export type InventoryRoot = { lists: readonly string[]; parts: Record<string, string[]> }

/** Number of buckets. They are merged one at a time; a bucket of the largest snapshot needs about 80 MB of memory. */
const buckets = 32

const bucketOf = (mdmId: string): number => (hash('sha1', deviceKey(mdmId), 'buffer')[0] ?? 0) % buckets

const partName = (list: string, mdmId: string, isDivided: boolean): string =>
  isDivided ? `${list}#${bucketOf(mdmId)}` : list

const hasBuckets = (parts: Record<string, string[]>): boolean => Object.keys(parts).some((part) => part.includes('#'))

async function* readEntries(chunks: Chunks, { parts }: InventoryRoot, list: string, bucket: number | null) {
  for await (const entry of chunks.each<ListedDevice>(parts[list] ?? [])) {
    if (bucket === null || bucketOf(entry.idp_id) === bucket) yield entry
  }
  if (bucket !== null) yield* chunks.each<ListedDevice>(parts[`${list}#${bucket}`] ?? [])
}

/** Yields each device of the first list once, with the fields from all lists. */
export async function* mergeDevices(chunks: Chunks, root: InventoryRoot): AsyncGenerator<ListedDevice> {
  const [first = '', ...further] = root.lists
  const every = hasBuckets(root.parts) ? Array.from({ length: buckets }, (_, bucket) => bucket) : [null]
  for (const bucket of every) {
    const merged = new Map<string, ListedDevice>()
    for await (const entry of readEntries(chunks, root, first, bucket)) {
      const { idp_id } = entry
      const key = deviceKey(idp_id)
      const before = merged.get(key)
      if (before && before.idp_id !== idp_id) yield { idp_id, unusable: 'same_id' }
      // Copies the fields, because cached chunks must not be modified. If a device is repeated, the last entry is used.
      else if ('fields' in entry) merged.set(key, { idp_id, fields: { ...entry.fields } })
      else if (!before) merged.set(key, entry)
    }
    for (const list of further) {
      for await (const entry of readEntries(chunks, root, list, bucket)) {
        const device = merged.get(deviceKey(entry.idp_id))
        if (device && 'fields' in device && 'fields' in entry) Object.assign(device.fields, entry.fields)
      }
    }
    yield* merged.values()
  }
}

import { hash } from 'node:crypto'
import type { Chunks } from '../read/chunks.ts'
import { deviceKey, type StoredFields } from './stored-device.ts'

/** What one list tells of a device; or why it could not be used. */
export type ListedDevice = { idp_id: string; fields: StoredFields } | { idp_id: string; unusable: string }

/**
 * The chunks of a whole snapshot: by list, or by list and bucket (`devices#7`) where a list did not fit into memory at once.
 * The first of the lists says which devices there are.
 */
export type InventoryRoot = { lists: readonly string[]; parts: Record<string, string[]> }

/** A snapshot is merged one bucket after the other: a bucket of the largest one takes some 80 MB. */
const buckets = 32

const bucketOf = (mdmId: string): number => (hash('sha1', deviceKey(mdmId), 'buffer')[0] ?? 0) % buckets

/** The part that an entry lies in. */
export const partOf = (list: string, mdmId: string, isDivided: boolean): string =>
  isDivided ? `${list}#${bucketOf(mdmId)}` : list

export const isPartOf = (part: string, list: string): boolean => part === list || part.startsWith(`${list}#`)

export const hasBuckets = (parts: Record<string, string[]>): boolean =>
  Object.keys(parts).some((part) => part.includes('#'))

/** The ids of a snapshot that is still there. @throws Error when it is not */
export async function readInventoryRoot(chunks: Chunks, root: string): Promise<InventoryRoot> {
  const [found] = await chunks.get<InventoryRoot>(root)
  if (!found) throw new Error(`The snapshot ${root} is empty.`)
  return found
}

async function* entriesOf(chunks: Chunks, { parts }: InventoryRoot, list: string, bucket: number | null) {
  for await (const entry of chunks.each<ListedDevice>(parts[list] ?? [])) {
    if (bucket === null || bucketOf(entry.idp_id) === bucket) yield entry
  }
  if (bucket !== null) yield* chunks.each<ListedDevice>(parts[`${list}#${bucket}`] ?? [])
}

/** Chunks stay at hand, so nothing is merged into their entries. */
const copyOf = (entry: ListedDevice): ListedDevice =>
  'fields' in entry ? { idp_id: entry.idp_id, fields: { ...entry.fields } } : entry

/** The devices of the first list with what all lists tell of them, each once. */
export async function* mergedDevices(chunks: Chunks, root: InventoryRoot): AsyncGenerator<ListedDevice> {
  const [first = '', ...besides] = root.lists
  const every = hasBuckets(root.parts) ? Array.from({ length: buckets }, (_, bucket) => bucket) : [null]
  for (const bucket of every) {
    const merged = new Map<string, ListedDevice>()
    const seen = (entry: ListedDevice) => {
      const key = deviceKey(entry.idp_id)
      const before = merged.get(key)
      if (before && before.idp_id !== entry.idp_id) return { idp_id: entry.idp_id, unusable: 'same_id' }
      // One that a page shows again, after others went, is the same device as it is by now.
      if (!before || 'fields' in entry) merged.set(key, copyOf(entry))
      return null
    }
    for await (const entry of entriesOf(chunks, root, first, bucket)) {
      const refused = seen(entry)
      if (refused) yield refused
    }
    for (const list of besides) {
      for await (const entry of entriesOf(chunks, root, list, bucket)) {
        const device = merged.get(deviceKey(entry.idp_id))
        if (device && 'fields' in device && 'fields' in entry) Object.assign(device.fields, entry.fields)
      }
    }
    yield* merged.values()
  }
}

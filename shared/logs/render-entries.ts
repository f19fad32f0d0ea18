import { maxJsonBytes } from '../core/json/response-size.ts'
import { bytesOf } from '../table/large-attributes.ts'
import { getItems } from '../table/read.ts'
import type { ChangeEntry, LogEntry } from './entries/log-entry.ts'
import { streamOf } from './entries/log-id.ts'
import { readEntry } from './entries/log-store.ts'
import type { FileRow } from './files/columns.ts'
import { rowEntry } from './files/entry-rows.ts'
import { flowRow } from './files/flow-row.ts'
import { type Attribution, attributionKey } from './flows/attribution.ts'
import { isFiled, type StoredFlow } from './flows/merge-flows.ts'
import type { BufferedFlow } from './flows/stored-flow.ts'
import type { LogItem } from './part-reader.ts'

export const isFlow = (item: LogItem): item is LogItem & StoredFlow => streamOf(item.sk) === 'flow'

/** Attributions by authorization id. A missing attribution is undefined. */
export type Attributions = Map<string, Attribution | undefined>

/** Reads the attributions of flows that are not in a file. The rows of files contain them. */
export type AttributionReader = (items: LogItem[]) => Promise<Attributions>

export function attributionReader(account: string): AttributionReader {
  const cached: Attributions = new Map()
  return async (items) => {
    const authorizations = items.flatMap((item) =>
      isFlow(item) && !isFiled(item) ? [item.ids.policy_authorization_id] : [],
    )
    const ids = [...new Set(authorizations)].filter((id) => !cached.has(id))
    const found = await getItems<Attribution>(ids.map((id) => attributionKey(account, id)))
    for (const [i, id] of ids.entries()) cached.set(id, found[i])
    return cached
  }
}

const attributionOf = ({ ids }: BufferedFlow, attributions: Attributions): Attribution | undefined =>
  attributions.get(ids.policy_authorization_id)

/** Returns the email of the initiating actor when access was authorized. */
export const emailOf = (flow: StoredFlow, attributions: Attributions): unknown =>
  isFiled(flow) ? flow.row.initiator_actor_email : attributionOf(flow, attributions)?.initiator_actor_email

/** Converts a stored item to an API entry. A flow gets the attribution of its authorization (L12). */
export function renderEntry(item: LogItem, attributions: Attributions): LogEntry {
  if (!isFlow(item)) return storedEntry(item)
  return rowEntry('flow', isFiled(item) ? (item.row as FileRow) : flowRow(item, attributionOf(item, attributions)))
}

/** Reads an entry. A change without a sync run is stored without `run_id`, which the API returns as null. */
function storedEntry(item: LogItem): LogEntry {
  const entry = readEntry(item) as unknown as LogEntry
  return entry.type === 'change' ? { ...entry, run_id: entry.run_id ?? null } : entry
}

/** Maximum size of an entry's `before` and `after` together, in bytes (L2.7). */
const maxSnapshotBytes = 1_000_000

type Snapshot = ChangeEntry['before']

const withNulls = (snapshot: Snapshot, names: string[]): Snapshot =>
  snapshot && { ...snapshot, ...Object.fromEntries(names.flatMap((name) => (name in snapshot ? [[name, null]] : []))) }

/** Truncates oversized snapshots (L2.7). Replaces the largest fields with null, and lists their names in `truncated`. */
export function cutEntry(entry: LogEntry): LogEntry {
  if (entry.type !== 'change') return entry
  const { before, after } = entry
  if (maxJsonBytes(before) + maxJsonBytes(after) <= maxSnapshotBytes) return entry
  let bytes = bytesOf(before) + bytesOf(after)
  if (bytes <= maxSnapshotBytes) return entry
  const fields = Object.keys({ ...before, ...after })
    .map((name) => ({ name, bytes: bytesOf(before?.[name]) + bytesOf(after?.[name]) }))
    .sort((a, b) => b.bytes - a.bytes)
  const truncated: string[] = []
  for (const { name, bytes: fieldBytes } of fields) {
    if (bytes <= maxSnapshotBytes) break
    truncated.push(name)
    bytes -= fieldBytes - [before, after].filter((snapshot) => snapshot && name in snapshot).length * 'null'.length
  }
  return { ...entry, before: withNulls(before, truncated), after: withNulls(after, truncated), truncated }
}

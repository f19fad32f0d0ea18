import { timestamp } from '../core/clock.ts'
import { maxJsonBytes } from '../core/json/response-size.ts'
import { bytesOf } from '../table/large-attributes.ts'
import { getItems } from '../table/read.ts'
import { attributionFields, type ChangeEntry, type LogEntry } from './entries/log-entry.ts'
import { instantOf, streamOf } from './entries/log-id.ts'
import { readEntry } from './entries/log-store.ts'
import { type Attribution, attributionKey } from './flows/attribution.ts'
import type { OuterPath } from './flows/flow-report.ts'
import type { FlowItem } from './flows/flow-store.ts'
import type { LogItem } from './part-reader.ts'

const isFlow = (item: LogItem): item is LogItem & FlowItem => streamOf(item.sk) === 'flow'

/** Reads the attributions of flows by authorization id. A missing attribution is undefined. */
export type AttributionReader = (items: LogItem[]) => Promise<Map<string, Attribution | undefined>>

export function attributionReader(account: string): AttributionReader {
  const cached = new Map<string, Attribution | undefined>()
  return async (items) => {
    const ids = [...new Set(items.filter(isFlow).map(({ auth }) => auth))].filter((id) => !cached.has(id))
    const found = await getItems<Attribution>(ids.map((id) => attributionKey(account, id)))
    for (const [i, id] of ids.entries()) cached.set(id, found[i])
    return cached
  }
}

/** Converts a stored item to an API entry. A flow gets the attribution of its authorization (L12). */
export const renderEntry = (item: LogItem, attributions: Map<string, Attribution | undefined>): LogEntry =>
  isFlow(item) ? flowEntry(item, attributions.get(item.auth)) : storedEntry(item)

/** Reads an entry. A change without a sync run is stored without `run_id`, which the API returns as null. */
function storedEntry(item: LogItem): LogEntry {
  const entry = readEntry(item) as unknown as LogEntry
  return entry.type === 'change' ? { ...entry, run_id: entry.run_id ?? null } : entry
}

const time = (micros: number | bigint | undefined): string | null =>
  micros === undefined ? null : timestamp(Number(micros))
const count = (digits: string | undefined): bigint | null => (digits === undefined ? null : BigInt(digits))

type OtherFields = Omit<Attribution, 'policy_authorization_id' | 'initiator_actor_id'>
const unknownAttribution = Object.fromEntries(Object.keys(attributionFields).map((name) => [name, null])) as {
  [Name in keyof OtherFields]: null
}

function flowEntry(item: FlowItem, attribution: Attribution | undefined): LogEntry {
  const outers: OuterPath[] | null = item.outers === undefined ? null : JSON.parse(item.outers)
  return {
    ...unknownAttribution,
    ...attribution,
    type: 'flow',
    log_id: item.sk,
    timestamp: timestamp(item.at),
    role: item.role,
    protocol: item.prot,
    flow_start: timestamp(instantOf(item.sk)),
    flow_end: time(item.fend),
    last_packet: time(item.last),
    inner_src_ip: item.sip,
    inner_src_port: item.sport,
    inner_dst_ip: item.dip,
    inner_dst_port: item.dport,
    inner_domain: item.dom,
    outers: outers?.map((outer) => ({ ...outer, path_activated_at: timestamp(outer.path_activated_at) })) ?? null,
    rx_packets: count(item.rxp),
    tx_packets: count(item.txp),
    rx_bytes: count(item.rxb),
    tx_bytes: count(item.txb),
    policy_authorization_id: item.auth,
    initiator_actor_id: item.actor,
  }
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

import { timestamp } from '../core/clock.ts'
import { unpackLarge } from '../table/large-attributes.ts'
import { getItems } from '../table/read.ts'
import { type Attribution, attributionKey } from './flows/attribution.ts'
import type { OuterPath } from './flows/flow-report.ts'
import type { FlowItem } from './flows/flow-store.ts'
import type { LogEntry } from './log-entry.ts'
import { instantOf, streamOf } from './log-id.ts'
import type { LogItem } from './part-reader.ts'

const isFlow = (item: LogItem): item is LogItem & FlowItem => streamOf(item.sk) === 'flow'

/** Attributions of flows by authorization id, undefined where there is none. */
export type AttributionReader = (items: LogItem[]) => Promise<Map<string, Attribution | undefined>>

/** Reads each attribution once, those of a page in one request. */
export function attributionReader(account: string): AttributionReader {
  const known = new Map<string, Attribution | undefined>()
  return async (items) => {
    const ids = [...new Set(items.filter(isFlow).map(({ auth }) => auth))].filter((id) => !known.has(id))
    const found = await getItems<Attribution>(ids.map((id) => attributionKey(account, id)))
    for (const [i, id] of ids.entries()) known.set(id, found[i])
    return known
  }
}

/** A stored item as the entry that it holds; a flow shows the attribution of its authorization (L12). */
export const renderEntry = (item: LogItem, attributions: Map<string, Attribution | undefined>): LogEntry =>
  isFlow(item) ? flowEntry(item, attributions.get(item.auth)) : storedEntry(item)

/** A change that no sync run caused, or that was stored before there were any, has no run on it. */
function storedEntry(item: LogItem): LogEntry {
  const entry = unpackLarge(item) as unknown as LogEntry
  return entry.type === 'change' ? { ...entry, run_id: entry.run_id ?? null } : entry
}

const time = (micros: number | bigint | undefined): string | null =>
  micros === undefined ? null : timestamp(Number(micros))
const count = (digits: string | undefined): bigint | null => (digits === undefined ? null : BigInt(digits))

const unknownAttribution = {
  initiator_device_id: null,
  responder_device_id: null,
  policy_id: null,
  authorized_at: null,
  authorization_expires_at: null,
  initiator_auth_provider_id: null,
  initiator_actor_name: null,
  initiator_actor_email: null,
  initiator_client_version: null,
  initiator_device_os_name: null,
  initiator_device_os_version: null,
  initiator_device_serial: null,
  initiator_device_uuid: null,
  initiator_device_identifier_for_vendor: null,
  initiator_device_push_installation_id: null,
  resource_id: null,
  resource_name: null,
  resource_address: null,
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

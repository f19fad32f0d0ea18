import { timestamp } from '../core/clock.ts'
import { getItems } from '../table/read.ts'
import { type Attribution, attributionKey } from './flows/attribution.ts'
import type { OuterPath } from './flows/flow-report.ts'
import type { FlowItem } from './flows/flow-store.ts'
import type { LogEntry } from './log-entry.ts'
import { parseLogId } from './log-id.ts'

type Item = Record<string, unknown>

const isFlow = (item: Item): boolean => parseLogId(String(item.sk))?.stream === 'flow'

/** Attributions of flows by authorization id, undefined where there is none. */
export type AttributionReader = (items: Item[]) => Promise<Map<string, Attribution | undefined>>

/** Reads each attribution once, those of a page in one request. */
export function attributionReader(account: string): AttributionReader {
  const known = new Map<string, Attribution | undefined>()
  return async (items) => {
    const ids = [...new Set(items.filter(isFlow).map((item) => String(item.auth)))].filter((id) => !known.has(id))
    const found = await getItems(ids.map((id) => attributionKey(account, id)))
    for (const [i, id] of ids.entries()) known.set(id, found[i] as Attribution | undefined)
    return known
  }
}

/** Stored items as entries; a flow shows the attribution of its authorization (L12). */
export async function renderEntries(items: Item[], attributionsOf: AttributionReader): Promise<LogEntry[]> {
  const attributions = await attributionsOf(items)
  return items.map((item) =>
    isFlow(item)
      ? flowEntry(item as unknown as FlowItem, attributions.get(String(item.auth)))
      : (item as unknown as LogEntry),
  )
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
  const outers = item.outers === undefined ? null : (JSON.parse(item.outers) as OuterPath[])
  return {
    ...unknownAttribution,
    ...attribution,
    type: 'flow',
    log_id: item.sk,
    timestamp: timestamp(item.at),
    role: item.role,
    protocol: item.prot,
    flow_start: timestamp(parseLogId(item.sk)?.micros ?? 0),
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

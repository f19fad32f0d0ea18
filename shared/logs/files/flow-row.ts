import { parseTimestamp } from '../../core/clock.ts'
import { attributionFields } from '../entries/log-entry.ts'
import { instantOf } from '../entries/log-id.ts'
import type { Attribution } from '../flows/attribution.ts'
import type { BufferedFlow } from '../flows/stored-flow.ts'
import type { FileRow } from './columns.ts'

const unknownAttribution = Object.fromEntries(Object.keys(attributionFields).map((name) => [name, null]))

const micros = (time: string | null): number | null => (time === null ? null : parseTimestamp(time))

/** Builds the attribution columns of a flow (L12), which are the same for all flows of an authorization. */
function attributionColumns(attribution: Attribution | undefined): FileRow {
  if (!attribution) return unknownAttribution
  const { authorized_at, authorization_expires_at } = attribution
  const columns: FileRow = { ...unknownAttribution }
  for (const name of Object.keys(attributionFields) as (keyof Attribution)[]) columns[name] = attribution[name] ?? null
  return {
    ...columns,
    authorized_at: micros(authorized_at),
    authorization_expires_at: micros(authorization_expires_at),
  }
}

const columnsByAttribution = new WeakMap<Attribution, FileRow>()

/** Builds the row of a flow (R5). The ids of its token are shown even if the attribution is missing. */
export function flowRow(
  { sk, at, storedAt, ids, report }: BufferedFlow,
  attribution: Attribution | undefined,
): FileRow {
  const { closing } = report
  const columns = (attribution && columnsByAttribution.get(attribution)) ?? attributionColumns(attribution)
  if (attribution) columnsByAttribution.set(attribution, columns)
  return {
    ...columns,
    log_id: sk,
    timestamp: at,
    stored_at: storedAt,
    role: ids.role,
    protocol: report.protocol,
    flow_start: instantOf(sk),
    flow_end: closing?.flow_end ?? null,
    last_packet: closing?.last_packet ?? null,
    inner_src_ip: report.inner_src_ip,
    inner_src_port: report.inner_src_port,
    inner_dst_ip: report.inner_dst_ip,
    inner_dst_port: report.inner_dst_port,
    inner_domain: report.domain,
    outers: closing?.outers ?? null,
    rx_packets: closing ? BigInt(closing.rx_packets) : null,
    tx_packets: closing ? BigInt(closing.tx_packets) : null,
    rx_bytes: closing ? BigInt(closing.rx_bytes) : null,
    tx_bytes: closing ? BigInt(closing.tx_bytes) : null,
    policy_authorization_id: ids.policy_authorization_id,
    initiator_device_id: ids.initiator_device_id,
    responder_device_id: ids.responder_device_id,
    policy_id: ids.policy_id,
    initiator_actor_id: ids.initiator_actor_id,
    resource_id: ids.resource_id,
  }
}

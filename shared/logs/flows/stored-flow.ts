import { hash } from 'node:crypto'
import { logId } from '../entries/log-id.ts'
import type { FlowReport } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

const idNames = [
  'policy_authorization_id',
  'role',
  'initiator_device_id',
  'responder_device_id',
  'initiator_actor_id',
  'policy_id',
  'resource_id',
] as const

/** Claims of the ingest token that are stored with a flow (L9.2). */
export type FlowIds = Pick<IngestClaims, (typeof idNames)[number]>

export const flowIds = (claims: FlowIds): FlowIds =>
  Object.fromEntries(idNames.map((name) => [name, claims[name]])) as FlowIds

/** Flow that is not in a file yet. Its reports are merged (L11). Times are in microseconds. */
export type BufferedFlow = {
  /** Log id. */
  sk: string
  /** Ingest time of the first report. */
  at: number
  /** End of a closed flow; absent for an open flow. */
  fend?: number
  ids: FlowIds
  report: FlowReport
  /** Time at which the first close report was stored; of an open flow, the first report. */
  storedAt: number
  /** Order of arrival (R2.4): the time of storing, then the key of the block. */
  rank: string
}

type Claims = Pick<IngestClaims, 'account_id' | 'initiator_device_id' | 'role' | 'resource_id'>

/** Log id of a flow: the flow's start and the first 40 bits of the SHA-256 of the flow's identity (L11, A33.10). */
export function flowLogId(claims: Claims, flow: FlowReport): string {
  const identity = [
    claims.account_id,
    claims.initiator_device_id,
    claims.role,
    flow.flow_start,
    flow.protocol,
    flow.inner_src_ip,
    flow.inner_src_port,
    flow.inner_dst_ip,
    flow.inner_dst_port,
    claims.resource_id,
  ].join('|')
  return logId('flow', flow.flow_start, hash('sha256', identity).slice(0, 10))
}

/**
 * Merges reports of one flow. The first report determines ingest time and domain, and the first close report determines the closing fields
 * (L11). Reports of equal rank stay in the given order.
 */
export function mergeReports(reports: BufferedFlow[]): BufferedFlow {
  const [first, ...later] = reports.toSorted((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
  if (!first) throw new RangeError('A flow has at least one report.')
  const closed = first.report.closing ? first : later.find(({ report }) => report.closing)
  if (!closed || closed === first) return first
  const report = { ...first.report, closing: closed.report.closing }
  return { ...first, report, fend: closed.fend, storedAt: closed.storedAt }
}

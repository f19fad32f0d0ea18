import { createHash } from 'node:crypto'
import { logId } from '../log-id.ts'
import type { FlowReport } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

type Claims = Pick<IngestClaims, 'account_id' | 'initiator_device_id' | 'role' | 'resource_id'>

/** The log id of a flow: its start, and 40 bits of the SHA-256 of its identity (L11, A33.10). */
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
  return logId('flow', flow.flow_start, createHash('sha256').update(identity).digest('hex').slice(0, 10))
}

import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'

export const sampleClaims: IngestClaims = {
  account_id: '0190a000-0000-7000-8000-000000000001',
  policy_authorization_id: '0190a000-0000-7000-8000-000000000002',
  role: 'initiator',
  uploads_enabled: true,
  iat: 1_760_000_000,
  exp: 1_790_000_000,
  initiator_device_id: '0190a000-0000-7000-8000-000000000003',
  initiator_actor_id: '0190a000-0000-7000-8000-000000000004',
  resource_id: '0190a000-0000-7000-8000-000000000005',
  policy_id: '0190a000-0000-7000-8000-000000000006',
  responder_device_id: '0190a000-0000-7000-8000-000000000007',
}

/** Returns functions that build the reports of the flow with index `i`. Flows open one millisecond apart, starting two minutes ago. */
export function sampleFlows() {
  const openedAt = Date.now() - 120_000
  const time = (i: number, afterMs = 0) => new Date(openedAt + i + afterMs).toISOString()
  const open = (i: number) => ({
    protocol: i % 4 < 2 ? 'tcp' : 'udp',
    inner_src_ip: `100.64.0.${i % 250}`,
    inner_src_port: 1_024 + (i % 60_000),
    inner_dst_ip: '100.96.0.3',
    inner_dst_port: 443,
    flow_start: time(i),
    domain: 'wiki.example.com',
  })
  const close = (i: number) => ({
    ...open(i),
    flow_end: time(i, 60_000),
    last_packet: time(i, 59_000),
    rx_packets: 12 + i,
    tx_packets: 9 + i,
    rx_bytes: 15_000 + i,
    tx_bytes: 2_100 + i,
    outers: [
      { src_ip: '198.51.100.7', src_port: 51_820, dst_ip: '192.0.2.1', dst_port: 51_820, path_activated_at: time(i) },
    ],
  })
  return {
    open,
    close,
    /** Alternates between open and close reports, as a gateway does. */
    mixed: (i: number) => (i % 2 === 0 ? open(i) : close(i)),
  }
}

export function readSample(record: object): FlowReport {
  const checked = checkFlowReport(record)
  if (!('report' in checked)) throw new Error('A good report was refused.')
  return checked.report
}

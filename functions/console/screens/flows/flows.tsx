import { type Log, LogScreen } from '../../logs/log-screen.tsx'
import { texts } from '../../texts/texts.ts'
import { FlowRows, toFlowRow } from './flow-rows.tsx'
import { Traffic } from './traffic.tsx'

const flows: Log = {
  noun: 'flows',
  address: '/flows',
  list: 'GET /logs',
  query: { type: 'flow', total_limit: 0, limit: 100 },
  hours: 24,
  filters: [
    { name: 'actor', sends: 'actor_id', to: 'actors' },
    { name: 'resource', sends: 'resource_id', to: 'resources' },
    { name: 'policy', sends: 'policy_id', to: 'policies' },
    { name: 'gateway', sends: 'device_id', to: 'gateways' },
    { name: 'client', sends: 'device_id', to: 'clients' },
    { name: 'protocol', options: ['tcp', 'udp'] },
    { name: 'port' },
    { name: 'open', flag: true },
  ],
  more: [{ name: 'by' }, { name: 'order' }],
  columns: [
    ...[
      'log_id',
      'role',
      'flow_start',
      'flow_end',
      'initiator_actor_id',
      'initiator_actor_name',
      'initiator_actor_email',
    ],
    ...['resource_id', 'resource_name', 'policy_id', 'initiator_device_id', 'responder_device_id', 'protocol'],
    ...['inner_src_ip', 'inner_src_port', 'inner_dst_ip', 'inner_dst_port', 'inner_domain'],
    ...['tx_bytes', 'rx_bytes', 'tx_packets', 'rx_packets', 'policy_authorization_id'],
  ].map((field) => ({ field })),
  toRow: toFlowRow,
  Rows: FlowRows,
  Above: Traffic,
  hint: texts.flows.hint,
}

export const FlowsScreen = () => <LogScreen log={flows} />

import { randomUUID } from 'node:crypto'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock } from '#shared/core/clock.ts'
import { type LogStream, logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { pack } from '#shared/logs/flows/packing.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import type { Account } from '../accounts/account.ts'
import { kinesisRecord, newFlowGrant } from '../logs/flows.ts'
import { plantIntoFile } from '../table/plant-items.ts'
import { largestConditions, widest } from './fill-lists.ts'

const minute = 60_000_000
/** Number of entries per stream: more than fit into one response, or enough to alternate with larger entries. */
const counts = { change: 14, session: 8, api_request: 8, flow: 30 } as const satisfies Record<LogStream, number>

const origin = {
  ip: '2001:db8:1111:2222:3333:4444:5555:6666',
  ip_region: 'DE',
  ip_city: widest(100),
  ip_lat: 52.520008,
  ip_lon: 13.404954,
  user_agent: widest(255),
}

/** Returns conditions of a size that earlier versions could store. Their compressed form is small. */
const hugeConditions = () => [
  {
    property: 'current_utc_datetime',
    operator: 'is_in_day_of_week_time_ranges',
    values: [`M/${'0-1,'.repeat(800_000)}0-1/UTC`],
  },
]

/** Fills the log of an account with the largest possible entries, in a time window without other entries. */
export async function fillLogs(account: Account) {
  // Begins an hour from now, so that the window contains none of the test's own requests.
  const begin = clock.now() + 60 * minute
  const { attribution, claims } = await newFlowGrant(account.id, { initiator_actor_name: widest(255) })
  const { initiator_actor_id: actor_id, initiator_actor_email: actor_email } = attribution
  const subject = {
    actor_id,
    actor_name: widest(255),
    actor_type: 'account_user',
    actor_email,
    auth_provider_id: randomUUID(),
    device_id: randomUUID(),
    gateway_id: null,
    token_id: randomUUID(),
    ...origin,
  }
  const policy = (conditions: unknown) => ({ id: randomUUID(), description: '"'.repeat(1024), conditions })
  const request = { actor_id, api_token_id: randomUUID(), method: 'GET', content_length: null, request_id: widest(128) }
  const fieldsOf = {
    session: () => ({ context: 'client', subject }),
    api_request: () => ({ ...request, path: widest(2048), ...origin }),
    change: (i: number) => {
      const conditions = i === 3 || i === 4 ? hugeConditions() : largestConditions()
      return { object: 'policies', operation: 'update', before: policy(conditions), after: policy(conditions), subject }
    },
  }
  const ids: string[] = []
  const at = (i: number) => begin + (i + 1) * minute
  for (const stream of ['change', 'session', 'api_request'] as const) {
    const entries = Array.from({ length: counts[stream] }, (_, i) => {
      const id = logId(stream, at(i), positionTail(i))
      ids.push(id)
      return logItems(account.id, stream, id, at(i), fieldsOf[stream](i))
    })
    plantIntoFile(entries.flat())
  }
  const ip = '2001:db8:1111:2222:3333:4444:5555:6666'
  const outer = { src_ip: ip, src_port: 65_535, dst_ip: ip, dst_port: 65_535, path_activated_at: begin }
  const counted = { rx_packets: 1, tx_packets: 2, rx_bytes: '9223372036854775807', tx_bytes: 4 }
  for (let i = 0; i < counts.flow; i++) {
    const report = {
      protocol: 'tcp' as const,
      inner_src_ip: '100.64.0.1',
      inner_src_port: i,
      inner_dst_ip: '100.96.0.1',
      inner_dst_port: 443,
      flow_start: at(i),
      domain: widest(255),
      closing: {
        flow_end: at(i) + minute,
        last_packet: at(i),
        ...counted,
        outers: Array.from({ length: 1000 }, () => outer),
      },
    }
    const id = flowLogId(claims(), report)
    ids.push(id)
    await storeFlowLogs({ Records: pack(claims(), clock.now(), [report]).map(kinesisRecord) })
  }
  return { ids, begin, end: at(counts.flow + 1), actor_id, actor_email: String(actor_email) }
}

import type { Row } from '../../collection/collection.ts'
import { durationText } from '../../collection/durations.ts'
import { RowTable } from '../../collection/row-table.tsx'
import { entryAddress, type Flow } from '../../logs/entries.ts'
import { preferences } from '../../parts/preferences.ts'
import { useStore } from '../../parts/store.ts'
import { timeText } from '../../parts/time.tsx'
import { labelOf, texts } from '../../texts/texts.ts'
import { type FlowPair, pairsOf } from './flow-pairs.ts'

export const toFlowRow = (flow: { log_id: string }): Row => ({ ...flow, id: flow.log_id })

/** Returns the duration of a flow, or the age of an open one, in whole hours, minutes or seconds. */
function durationOf({ flow_start, flow_end }: Flow): string {
  const end = flow_end ? Date.parse(flow_end) : Date.now()
  const seconds = Math.max(0, Math.round((end - Date.parse(flow_start)) / 1000))
  const unit = [3600, 60].find((size) => seconds >= size) ?? 1
  const duration = durationText(Math.floor(seconds / unit) * unit, 'short')
  return flow_end ? duration : texts.flows.openFor(duration)
}

function differenceOf({ reports, differences }: FlowPair): string[] {
  if (reports.length === 1) return [texts.flows.oneSide[reports[0]?.role ?? 'responder']]
  if (differences?.length === 0) return [texts.flows.equal]
  return (differences ?? []).map(([counter, difference]) => `${labelOf(counter)}: ${texts.signed(difference)}`)
}

/** Row of both sides' reports, with the difference of their counters (K8.3). */
const rowOfPair = (pair: FlowPair, zone: 'local' | 'utc'): Row => {
  const { shown } = pair
  const expiry = shown.flow_end ? null : shown.authorization_expires_at
  const { inner_domain, inner_dst_ip, inner_dst_port, protocol } = shown
  return {
    ...toFlowRow(shown),
    actor: shown.initiator_actor_name,
    resource: [
      String(shown.resource_name),
      `${inner_domain ?? inner_dst_ip}:${inner_dst_port} ${protocol.toUpperCase()}`,
    ],
    duration: [durationOf(shown), ...(expiry ? [texts.flows.until(timeText(expiry, zone))] : [])],
    bytes: shown.tx_bytes === null ? '' : texts.flows.sentAndReceived(shown.tx_bytes, shown.rx_bytes ?? 0n),
    difference: differenceOf(pair),
  }
}

/** Flows, one row for the reports of both sides. Open ones show their age, and when their authorization expires (K8.4). */
export function FlowRows({ rows }: { rows: Row[] }) {
  const { zone } = useStore(preferences)
  return (
    <RowTable
      label={texts.many('flows')}
      columns={[
        { field: 'flow_start', kind: 'instant' },
        { field: 'actor' },
        { field: 'resource', kind: 'list' },
        { field: 'responder_device_id', to: 'gateways' },
        { field: 'duration', kind: 'list' },
        { field: 'bytes' },
        { field: 'difference', kind: 'list' },
      ]}
      rows={pairsOf(rows as unknown as Flow[]).map((pair) => rowOfPair(pair, zone))}
      opens={({ id }) => entryAddress(id)}
    />
  )
}

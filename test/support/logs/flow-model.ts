import { hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import type { Closing, FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'

/** Report on its way to the log. `at` is the time of its ingestion. */
export type Delivery = { at: number; claims: IngestClaims; report: FlowReport }

/**
 * Flow of the model. `storedAt`, `lastStoredAt` and `closedAt` are the times at which its first, last and first close report were stored.
 */
export type ModelFlow = {
  id: string
  claims: IngestClaims
  report: FlowReport
  at: number
  storedAt: number
  lastStoredAt: number
  closing: Closing | null
  closedAt: number | null
}

/** Plain model of an account's flows: the first report of a flow wins, and the first close report closes it (L11). */
export class FlowModel {
  readonly stored = new Map<string, ModelFlow>()

  get flows(): ModelFlow[] {
    return [...this.stored.values()]
  }

  /** Adds reports that were stored at the same time, in their order. Returns the ids of their flows. */
  add(storedAt: number, deliveries: Delivery[]): string[] {
    return deliveries.map(({ at, claims, report }) => {
      const id = flowLogId(claims, report)
      const first = { id, claims, report, at, storedAt, closing: null, closedAt: null }
      const existing = this.stored.get(id) ?? first
      const closed = report.closing && !existing.closing ? { closing: report.closing, closedAt: storedAt } : {}
      this.stored.set(id, { ...existing, ...closed, lastStoredAt: storedAt })
      return id
    })
  }
}

export const startOf = ({ report }: ModelFlow): number => report.flow_start
export const endOf = ({ closing }: ModelFlow): number | null => closing?.flow_end ?? null

/** True if `GET /logs` returns the flow for a window (L2.4). */
export const isWithin = (flow: ModelFlow, begin: number, end: number): boolean => {
  const [start, closed] = [startOf(flow), endOf(flow)]
  return start <= end && (closed === null || closed > begin || start >= begin)
}

/** Returns the flow's value of a dimension of the counters (R9.1). */
export function dimensionValue({ claims, report }: ModelFlow, dimension: string): string {
  const values: Record<string, string> = {
    actor: claims.initiator_actor_id,
    client: claims.initiator_device_id,
    gateway: claims.responder_device_id,
    resource: claims.resource_id,
    policy: claims.policy_id,
    port: `${report.protocol}/${report.inner_dst_port}`,
  }
  return values[dimension] as string
}

type Totals = { flows: number; rx_bytes: bigint; tx_bytes: bigint }

const totalsOf = (flows: ModelFlow[]): Totals => ({
  flows: flows.length,
  rx_bytes: flows.reduce((sum, { closing }) => sum + BigInt(closing?.rx_bytes ?? 0), 0n),
  tx_bytes: flows.reduce((sum, { closing }) => sum + BigInt(closing?.tx_bytes ?? 0), 0n),
})

/** Returns the values of a dimension with their totals, the greatest first (R9.6). */
export function rankValues(flows: ModelFlow[], by: string, order: 'flows' | 'bytes') {
  const size = ({ flows: count, rx_bytes, tx_bytes }: Totals) =>
    order === 'flows' ? BigInt(count) : rx_bytes + tx_bytes
  return [...Map.groupBy(flows, (flow) => dimensionValue(flow, by))]
    .map(([value, own]) => ({ value, ...totalsOf(own) }))
    .sort((a, b) => (size(a) === size(b) ? (a.value < b.value ? -1 : 1) : size(a) > size(b) ? -1 : 1))
}

/** Returns the hours of a histogram from `begin` on (R9.6). */
export function countHours(flows: ModelFlow[], begin: number, hours: number, by: string | null) {
  const values = by === null ? [] : rankValues(flows, by, 'flows').slice(0, 6)
  const byHour = Map.groupBy(flows, (flow) => hourStart(startOf(flow)))
  return Array.from({ length: hours }, (_, i) => {
    const hour = begin + i * hourMicros
    const own = byHour.get(hour) ?? []
    const byValue = values.flatMap(({ value }) => {
      const ofValue = own.filter((flow) => dimensionValue(flow, by as string) === value)
      return ofValue.length > 0 ? [{ value, ...totalsOf(ofValue) }] : []
    })
    const open = own.filter(({ closing }) => closing === null).length
    return { hour: timestamp(hour), open, ...totalsOf(own), by: byValue }
  })
}

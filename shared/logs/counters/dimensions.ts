import { isFiled, type StoredFlow } from '../flows/merge-flows.ts'

/** Dimensions by which flows are counted (R9.1). */
export const dimensions = ['actor', 'client', 'gateway', 'resource', 'policy', 'port'] as const
export type Dimension = (typeof dimensions)[number]

/** Dimension of the counters that is read. `total` has one value per hour, so that totals are cheap to read. */
export type CountedDimension = Dimension | 'total'
export const countedDimensions: readonly CountedDimension[] = [...dimensions, 'total']

/** Columns of the files from which the value of a flow is derived. */
export const dimensionColumns: Record<CountedDimension, readonly string[]> = {
  actor: ['initiator_actor_id'],
  client: ['initiator_device_id'],
  gateway: ['responder_device_id'],
  resource: ['resource_id'],
  policy: ['policy_id'],
  port: ['protocol', 'inner_dst_port'],
  total: [],
}

/** Columns of the files that are counted, besides those of the dimension. */
export const countedColumns = ['flow_start', 'flow_end', 'role', 'rx_bytes', 'tx_bytes'] as const

/** Columns of a flow, with the names that files have. */
export type FlowColumns = Readonly<Record<string, unknown>>

/** Returns the value of a flow in a dimension. An erased value is empty. */
export function flowValue(row: FlowColumns, dimension: CountedDimension): string {
  const [column, second] = dimensionColumns[dimension]
  if (column === undefined) return ''
  const value = row[column] ?? ''
  return second === undefined ? String(value) : `${value}/${row[second]}`
}

/** Returns the columns of a stored flow that are filtered and counted. */
export const columnsOf = (flow: StoredFlow): FlowColumns =>
  isFiled(flow)
    ? flow.row
    : {
        ...flow.ids,
        protocol: flow.report.protocol,
        inner_dst_port: flow.report.inner_dst_port,
        rx_bytes: BigInt(flow.report.closing?.rx_bytes ?? 0),
        tx_bytes: BigInt(flow.report.closing?.tx_bytes ?? 0),
      }

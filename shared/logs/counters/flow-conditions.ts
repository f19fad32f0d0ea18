import { flowProtocols } from '../flows/flow-report.ts'
import { mayContain } from './bloom-filter.ts'
import { type Dimension, dimensionColumns, type FlowColumns, flowValue } from './dimensions.ts'
import type { HourCounts } from './value-counts.ts'

/** Filters of flows (R8.3). Null means that the parameter is absent. */
export type FlowFilters = {
  resource_id: string | null
  policy_id: string | null
  device_id: string | null
  protocol: string | null
  port: number | null
  open: boolean | null
}

/**
 * Condition that a flow fulfils with its value in one of the dimensions. `values` are all values that match; null if they are too many to
 * list.
 */
export type FlowCondition = {
  dimensions: readonly Dimension[]
  values: readonly string[] | null
  includes(value: string): boolean
}

/** True for flows with one of the values in a dimension. */
export const valueCondition = (values: readonly string[], ...dimensions: Dimension[]): FlowCondition => {
  const set = new Set(values)
  return { dimensions, values, includes: (value) => set.has(value) }
}

function portCondition(protocol: string | null, port: number | null): FlowCondition | null {
  if (port !== null)
    return valueCondition(
      (protocol ? [protocol] : flowProtocols).map((name) => `${name}/${port}`),
      'port',
    )
  if (protocol === null) return null
  return { dimensions: ['port'], values: null, includes: (value) => value.startsWith(`${protocol}/`) }
}

/** Returns the conditions of filters. `open` is not one of them, because it does not depend on a value. */
export function conditionsOf({ resource_id, policy_id, device_id, protocol, port }: FlowFilters): FlowCondition[] {
  const conditions = [
    resource_id !== null && valueCondition([resource_id], 'resource'),
    policy_id !== null && valueCondition([policy_id], 'policy'),
    device_id !== null && valueCondition([device_id], 'client', 'gateway'),
    portCondition(protocol, port),
  ]
  return conditions.filter((condition) => condition !== false && condition !== null)
}

export const conditionColumns = ({ dimensions }: FlowCondition): string[] =>
  dimensions.flatMap((dimension) => [...dimensionColumns[dimension]])

export const matchesAll = (row: FlowColumns, conditions: readonly FlowCondition[]): boolean =>
  conditions.every(({ dimensions, includes }) => dimensions.some((dimension) => includes(flowValue(row, dimension))))

/** True if a matching value can be one of the remaining values of an hour (R9.4). */
export const mayBeInRest = ({ values: counted, rest }: HourCounts, { values }: FlowCondition): boolean => {
  if (rest === null || values === null) return rest !== null
  const others = rest.isMixed ? values : values.filter((value) => !counted.includes(value))
  return others.some((value) => rest.filters.some((filter) => mayContain(filter, value)))
}

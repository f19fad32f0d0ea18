import type { Cidr } from '../values/ip.ts'
import { parseRange } from '../values/ip.ts'
import { portsOf } from './port-range.ts'
import type { V0RuleRow } from './rule.ts'

type Region = Pick<V0RuleRow, 'action' | 'destination' | 'port_type' | 'port_range' | 'user_id'>

const hex = (value: bigint): string => value.toString(16).padStart(32, '0')

/**
 * Where a rule lies: only rules `among` the same can overlap (`/v0` contract, 11.4), and `at` tells their networks and
 * ports, so that they are compared without being read.
 */
export function overlapPlace({ action, destination, port_type, port_range, user_id }: Region) {
  const { family, first, last } = parseRange(destination) as Cidr
  const { low, high } = port_range === null ? { low: 0, high: 0 } : portsOf(port_range)
  return {
    among: [action, user_id ?? 'all', port_type ?? 'any', family].join('/'),
    at: [hex(first), hex(last), low, high].join('-'),
  }
}

/** Whether two rules among the same overlap: their networks, of which one contains the other or none, and their ports. */
export function regionsOverlap(a: string, b: string): boolean {
  const [firstA = '', lastA = '', lowA, highA] = a.split('-')
  const [firstB = '', lastB = '', lowB, highB] = b.split('-')
  return firstA <= lastB && firstB <= lastA && Number(lowA) <= Number(highB) && Number(lowB) <= Number(highA)
}

import type { FieldResult } from '../values/field.ts'
import { block, type Cidr, ipRangeOf, portPattern } from '../values/ip.ts'
import { isInteger, isText } from './casts.ts'

type TrafficFields = {
  action: string
  destination: string
  port_type: string | null
  port_range: string | null
  user_id: string | null
}
type Ports = { low: number; high: number }

/** Traffic that a rule covers. Only rules with the same `group` can overlap (`/v0` contract, 11.4). */
export type RuleTarget = { group: string; network: Cidr; ports: Ports }

/** Port range of rules that have none. All such rules get the same value, so that they overlap. */
const noPorts: Ports = { low: 0, high: 0 }

export function ruleTargetOf({ action, destination, port_type, port_range, user_id }: TrafficFields): RuleTarget {
  const network = ipRangeOf(destination)
  return {
    group: [action, user_id ?? 'all', port_type ?? 'any', network.family].join('/'),
    network,
    ports: port_range === null ? noPorts : portsOf(port_range),
  }
}

const hex = (value: bigint): string => value.toString(16).padStart(32, '0')
const digits = (port: number): string => String(port).padStart(5, '0')
const networkText = ({ first, last }: Cidr): string => `${hex(first)}-${hex(last)}`

/** Sort key of a rule: by network, then by ports. */
export const overlapSortKey = ({ network, ports }: RuleTarget, id: string): string =>
  `${networkText(network)}-${digits(ports.low)}-${digits(ports.high)}#${id}`

/** Name of the counter for an account's rules whose networks have this prefix length. Searches skip prefix lengths whose counter is 0. */
export const sizeCounter = ({ family, prefix }: Pick<Cidr, 'family' | 'prefix'>): string =>
  `v0_rules.${family}/${prefix}`

type Range = { after: string; backward?: boolean; limit: number }
type Search = {
  /** Reads the sort keys of rules with the same `group` as the target. */
  read: (range: Range) => Promise<string[]>
  /** True if the account has rules for networks with this prefix length. */
  hasSize: (prefix: number) => boolean
  except?: string
}

const perRead = 50

const parts = (sort: string) => {
  const [at = '', id = ''] = sort.split('#')
  const [first = '', , low, high] = at.split('-')
  return { first, low: Number(low), high: Number(high), id }
}

const overlapsPorts = (sort: string, { ports }: RuleTarget, except: string | undefined): boolean => {
  const { low, high, id } = parts(sort)
  return id !== except && low <= ports.high && ports.low <= high
}

/** Searches the rules whose network begins within the target's network. */
async function overlapsWithin(target: RuleTarget, { read, except }: Search): Promise<boolean> {
  const last = hex(target.network.last)
  let after = hex(target.network.first)
  for (;;) {
    const sorts = await read({ after, limit: perRead })
    const candidates = sorts.filter((sort) => parts(sort).first <= last)
    if (candidates.some((sort) => overlapsPorts(sort, target, except))) return true
    const farthest = candidates.at(-1)
    if (farthest === undefined || candidates.length < perRead) return false
    after = farthest
  }
}

/**
 * Searches the rules of one larger network. Their port ranges are disjoint. Only the last rule that starts at or below the target's last
 * port can therefore overlap.
 */
async function overlapsInLarger(larger: Cidr, target: RuleTarget, { read, except }: Search): Promise<boolean> {
  const network = networkText(larger)
  const sorts = await read({ after: `${network}-${digits(target.ports.high)}~`, backward: true, limit: 2 })
  const [nearest] = sorts.filter((sort) => sort.startsWith(network) && parts(sort).id !== except)
  return nearest !== undefined && overlapsPorts(nearest, target, except)
}

/**
 * Searches for a rule that overlaps the target (`/v0` contract, 11.4). If two networks overlap, one contains the other. The search
 * therefore reads only networks that begin within the target's network, and larger networks that contain it.
 */
export async function overlapsAny(target: RuleTarget, search: Search): Promise<boolean> {
  const { family, first, prefix } = target.network
  const larger = Array.from({ length: prefix }, (_, size) => size).filter(search.hasSize)
  const found = await Promise.all([
    overlapsWithin(target, search),
    ...larger.map((size) => overlapsInLarger(block({ family, value: first }, size), target, search)),
  ])
  return found.includes(true)
}

type PortRange = { low: bigint; high: bigint }

const plain = /^ *(\d+)(?: *- *(\d+))? *$/
const interval = /^ *([[(]) *(\d+) *, *(\d+) *([\])]) *$/

function parseText(text: string): PortRange | null {
  const [, first, second] = plain.exec(text) ?? []
  if (first !== undefined) return { low: BigInt(first), high: BigInt(second ?? first) }
  const [, open, low = '', high = '', close] = interval.exec(text) ?? []
  if (open === undefined) return null
  return { low: BigInt(low) + (open === '(' ? 1n : 0n), high: BigInt(high) - (close === ')' ? 1n : 0n) }
}

const largest = Number.MAX_VALUE
const exact = (value: number): bigint => BigInt(Math.max(-largest, Math.min(value, largest)))

function parsePair(input: unknown): PortRange | null {
  if (!Array.isArray(input) || input.length !== 2) return null
  const [low, high] = input
  return isInteger(low) && isInteger(high) ? { low: exact(low), high: exact(high) } : null
}

const formatPortRange = ({ low, high }: PortRange): string => (low === high ? `${low}` : `${low} - ${high}`)

const port = ` *${portPattern} *`

/** JSON Schema of the forms of a port range (`/v0` contract, 11.3). */
export const portRangeSchema = {
  type: ['string', 'array', 'null'],
  pattern: `^(${port}(-${port})?| *[\\[(]${port},${port}[\\])] *)?$`,
  minItems: 2,
  maxItems: 2,
  items: { type: 'integer', minimum: 1, maximum: 65_535 },
}

/** Converts any form of a port range to its normal form (`/v0` contract, 11.3). Reports only the first failure. */
export function castPortRange(input: unknown): FieldResult<string | null> {
  if (input === null || input === '') return { value: null }
  const range = isText(input) ? parseText(input) : parsePair(input)
  if (range === null) return { message: isText(input) ? 'bad format' : 'is invalid' }
  if (range.low > range.high) return { message: 'lower value cannot be higher than upper value' }
  if (range.low < 1n || range.high > 65_535n) return { message: 'port is not within valid range' }
  return { value: formatPortRange(range) }
}

export function portsOf(range: string): { low: number; high: number } {
  const [low = '', high = low] = range.split(' - ')
  return { low: Number(low), high: Number(high) }
}

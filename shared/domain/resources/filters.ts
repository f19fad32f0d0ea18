import { type Fault, faultsAt, type Path } from '../../core/faults.ts'
import { checkObjects, type FieldResult } from '../../values/field.ts'
import { mustBeOneOf } from '../../values/fields.ts'
import { portPattern } from '../../values/ip.ts'

export const protocols = ['tcp', 'udp', 'icmp'] as const
export type IpFilter = { protocol: (typeof protocols)[number]; ports: string[] }

export const maxFilters = 100
export const maxPorts = 500

type PortRange = { first: number; last: number }

export const checkFilters = (raw: unknown): FieldResult<IpFilter[]> => checkObjects(raw, maxFilters, checkFilter)

function checkFilter(item: Record<string, unknown>, path: Path, faults: Fault[]): IpFilter | undefined {
  const { protocol, ports = [] } = item
  const match = protocols.find((candidate) => candidate === protocol)
  if (!match) {
    const message = isBlank(protocol) ? "can't be blank" : mustBeOneOf(protocols)
    faults.push({ path: [...path, 'protocol'], message })
  }
  const checked = checkPorts(ports)
  if ('messages' in checked) faults.push(...faultsAt([...path, 'ports'], checked.messages))
  return match && 'ports' in checked ? { protocol: match, ports: checked.ports } : undefined
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function checkPorts(raw: unknown): { ports: string[] } | { messages: string[] } {
  if (!Array.isArray(raw)) return { messages: ['must be a list'] }
  if (raw.length > maxPorts) return { messages: [`should have at most ${maxPorts} item(s)`] }
  const parsed = raw.map(parsePorts)
  const messages = [...new Set(parsed.filter((entry) => typeof entry === 'string'))]
  if (messages.length > 0) return { messages }
  const ranges = parsed.filter((entry) => typeof entry !== 'string')
  const sortedRanges = ranges.toSorted((a, b) => a.first - b.first)
  const meetsBefore = ({ first }: PortRange, i: number) => first <= (sortedRanges[i - 1]?.last ?? 0)
  if (sortedRanges.some(meetsBefore)) return { messages: ['ports must not overlap'] }
  return { ports: ranges.map(({ first, last }) => (first === last ? String(first) : `${first} - ${last}`)) }
}

export const portsSchema = {
  type: ['string', 'integer'],
  pattern: `^${portPattern}( *- *${portPattern})?$`,
  minimum: 1,
  maximum: 65_535,
}

const mustBePort = 'must be a port from 1 to 65535 or a range of them, for example 443 or 8000 - 8100'

function parsePorts(entry: unknown): PortRange | string {
  if (typeof entry !== 'number' && typeof entry !== 'string') return mustBePort
  const match = /^(\d{1,10})(?:\s*-\s*(\d{1,10}))?$/.exec(String(entry).trim())
  if (!match) return mustBePort
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  if ([first, last].some((port) => port < 1 || port > 65_535)) return mustBePort
  return first > last ? 'lower port cannot exceed upper port' : { first, last }
}

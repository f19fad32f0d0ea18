import type { FieldErrors } from '../../core/errors.ts'

export const protocols = ['tcp', 'udp', 'icmp'] as const
export type Filter = { protocol: (typeof protocols)[number]; ports: string[] }

type PortRange = { first: number; last: number }

/** The filters of a resource as stored, or messages under `filters…` (A18.5). */
export function checkFilters(raw: unknown): { filters: Filter[] } | { errors: FieldErrors } {
  if (!Array.isArray(raw)) return { errors: { filters: ['is invalid'] } }
  if (raw.length > 100) return { errors: { filters: ['should have at most 100 item(s)'] } }
  const errors: FieldErrors = {}
  const filters = raw.map((item, i) => checkFilter(item, `filters.${i}`, errors))
  return Object.keys(errors).length > 0 ? { errors } : { filters: filters as Filter[] }
}

function checkFilter(item: unknown, path: string, errors: FieldErrors): Filter | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    errors[path] = ['is invalid']
    return undefined
  }
  const { protocol, ports = [] } = item as Record<string, unknown>
  const known = protocols.find((candidate) => candidate === protocol)
  if (!known) errors[`${path}.protocol`] = [isBlank(protocol) ? "can't be blank" : 'is invalid']
  const checked = checkPorts(ports)
  if ('messages' in checked) errors[`${path}.ports`] = checked.messages
  return known && 'ports' in checked ? { protocol: known, ports: checked.ports } : undefined
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function checkPorts(raw: unknown): { ports: string[] } | { messages: string[] } {
  if (!Array.isArray(raw)) return { messages: ['is invalid'] }
  if (raw.length > 500) return { messages: ['should have at most 500 item(s)'] }
  const parsed = raw.map(parsePorts)
  const messages = [...new Set(parsed.filter((entry) => typeof entry === 'string'))]
  if (messages.length > 0) return { messages }
  const ranges = parsed as PortRange[]
  const sorted = ranges.toSorted((a, b) => a.first - b.first)
  if (sorted.some((range, i) => i > 0 && range.first <= (sorted[i - 1] as PortRange).last)) {
    return { messages: ['ports must not overlap'] }
  }
  return { ports: ranges.map(({ first, last }) => (first === last ? String(first) : `${first} - ${last}`)) }
}

const outside = 'must be between 1 and 65535'

function parsePorts(entry: unknown): PortRange | string {
  if (typeof entry !== 'number' && typeof entry !== 'string') return 'is invalid'
  const match = /^(\d{1,10})(?:\s*-\s*(\d{1,10}))?$/.exec(String(entry).trim())
  if (!match) return outside
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  if ([first, last].some((port) => port < 1 || port > 65_535)) return outside
  return first > last ? 'lower port cannot exceed upper port' : { first, last }
}

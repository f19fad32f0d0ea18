import { parseTimestamp } from '../clock.ts'
import type { FieldErrors } from '../errors.ts'
import { canonicalIp } from '../values/ip.ts'

export type OuterPath = {
  src_ip: string | null
  src_port: number | null
  dst_ip: string
  dst_port: number
  path_activated_at: number
}

/** What a close report adds to a flow; times in microseconds, counters to 64 bits. */
export type Closing = {
  flow_end: number
  last_packet: number
  rx_packets: bigint
  tx_packets: bigint
  rx_bytes: bigint
  tx_bytes: bigint
  outers: OuterPath[]
}

/** A valid report of a flow (L10). */
export type FlowReport = {
  protocol: 'tcp' | 'udp'
  inner_src_ip: string
  inner_src_port: number
  inner_dst_ip: string
  inner_dst_port: number
  flow_start: number
  domain: string | null
  closing: Closing | null
}

const counters = ['rx_packets', 'tx_packets', 'rx_bytes', 'tx_bytes'] as const
const closeFields = ['flow_end', 'last_packet', ...counters] as const
const known = new Set<string>([
  'protocol',
  'inner_src_ip',
  'inner_src_port',
  'inner_dst_ip',
  'inner_dst_port',
  'flow_start',
  'domain',
  'outers',
  ...closeFields,
])
const knownOuter = new Set(['src_ip', 'src_port', 'dst_ip', 'dst_port', 'path_activated_at'])

const maxCounter = 2n ** 63n - 1n
const latestStart = Date.UTC(2113, 0, 1) * 1000

type Source = Record<string, unknown>

/** Reads the fields of one object and collects their messages. A required field that is null is blank. */
class Reader {
  readonly source: Source
  readonly path: string
  readonly errors: FieldErrors

  constructor(source: Source, path: string, errors: FieldErrors) {
    this.source = source
    this.path = path
    this.errors = errors
  }

  reject(name: string, message: string): undefined {
    this.errors[this.path + name] = [message]
    return undefined
  }

  sent(name: string): boolean {
    return this.source[name] !== undefined && this.source[name] !== null
  }

  required<T>(name: string, read: (name: string) => T | undefined): T | undefined {
    return this.sent(name) ? read.call(this, name) : this.reject(name, "can't be blank")
  }

  refuseUnknown(names: Set<string>): void {
    for (const name of Object.keys(this.source)) if (!names.has(name)) this.reject(name, 'is not a known field')
  }

  ip(name: string): string | undefined {
    const value = this.source[name]
    const ip = typeof value === 'string' ? canonicalIp(value) : null
    return ip ?? this.reject(name, 'is invalid')
  }

  port(name: string): number | undefined {
    const value = this.source[name]
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      if (typeof value !== 'bigint') return this.reject(name, 'is invalid')
    }
    if ((value as number) < 0) return this.reject(name, 'must be greater than or equal to 0')
    if ((value as number) > 65_535) return this.reject(name, 'must be less than or equal to 65535')
    return Number(value)
  }

  counter(name: string): bigint | undefined {
    const value = this.source[name]
    if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value)))
      return this.reject(name, 'is invalid')
    const count = BigInt(value)
    if (count < 0n) return this.reject(name, 'must be greater than or equal to 0')
    return count > maxCounter ? this.reject(name, `must be less than or equal to ${maxCounter}`) : count
  }

  time(name: string): number | undefined {
    const value = this.source[name]
    const micros = typeof value === 'string' ? parseTimestamp(value) : null
    return micros ?? this.reject(name, 'is invalid')
  }

  start(name: string): number | undefined {
    const micros = this.time(name)
    if (micros === undefined) return undefined
    return micros < 0 || micros >= latestStart ? this.reject(name, 'is invalid') : micros
  }
}

const isObject = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A report, or the messages of its fields (L10). Large integers come in as bigint. */
export function checkFlowReport(record: unknown): { report: FlowReport } | { errors: FieldErrors } {
  if (!isObject(record)) return { errors: { record: ['must be a JSON object'] } }
  const errors: FieldErrors = {}
  const reader = new Reader(record, '', errors)
  reader.refuseUnknown(known)
  const protocol = reader.required('protocol', (name) => {
    const value = record[name]
    return value === 'tcp' || value === 'udp' ? value : reader.reject(name, 'is invalid')
  })
  const report = {
    protocol,
    inner_src_ip: reader.required('inner_src_ip', reader.ip),
    inner_src_port: reader.required('inner_src_port', reader.port),
    inner_dst_ip: reader.required('inner_dst_ip', reader.ip),
    inner_dst_port: reader.required('inner_dst_port', reader.port),
    flow_start: reader.required('flow_start', reader.start),
    domain: domainOf(reader),
    closing: closingOf(reader),
  }
  return Object.keys(errors).length > 0 ? { errors } : { report: report as FlowReport }
}

function domainOf(reader: Reader): string | null | undefined {
  if (!reader.sent('domain')) return null
  const { domain } = reader.source
  if (typeof domain !== 'string' || domain.includes('\0') || !domain.isWellFormed())
    return reader.reject('domain', 'is invalid')
  return [...domain].length > 255 ? reader.reject('domain', 'should be at most 255 character(s)') : domain
}

/** A record with any of the six close fields is judged as a close report (L10.1). */
function closingOf(reader: Reader): Partial<Closing> | null {
  const closes = closeFields.some((name) => reader.sent(name))
  if (!closes) {
    if (reader.sent('outers')) outersOf(reader)
    return null
  }
  return {
    outers: reader.required('outers', () => outersOf(reader)),
    flow_end: reader.required('flow_end', reader.time),
    last_packet: reader.required('last_packet', reader.time),
    ...Object.fromEntries(counters.map((name) => [name, reader.required(name, reader.counter)])),
  }
}

function outersOf(reader: Reader): OuterPath[] | undefined {
  const { outers } = reader.source
  if (!Array.isArray(outers)) return reader.reject('outers', 'is invalid')
  if (outers.length === 0) return reader.reject('outers', 'should have at least 1 item(s)')
  if (outers.length > 1_000) return reader.reject('outers', 'should have at most 1000 item(s)')
  return outers.map((outer, i) => outerOf(outer, `outers.${i}`, reader)) as OuterPath[]
}

function outerOf(outer: unknown, path: string, { errors }: Reader): Partial<OuterPath> | undefined {
  if (!isObject(outer)) {
    errors[path] = ['is invalid']
    return undefined
  }
  const reader = new Reader(outer, `${path}.`, errors)
  reader.refuseUnknown(knownOuter)
  const source = reader.sent('src_ip') || reader.sent('src_port')
  return {
    src_ip: source ? reader.required('src_ip', reader.ip) : null,
    src_port: source ? reader.required('src_port', reader.port) : null,
    dst_ip: reader.required('dst_ip', reader.ip),
    dst_port: reader.required('dst_port', reader.port),
    path_activated_at: reader.required('path_activated_at', reader.time),
  }
}

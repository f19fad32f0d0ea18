import { isObject } from '../../core/json/is-object.ts'
import { excerpt } from '../../values/excerpt.ts'
import { mustBeOneOf } from '../../values/fields.ts'
import { isLonger } from '../../values/is-longer.ts'
import type { Closing, Counter, FlowReport, OuterPath } from './flow-report.ts'
import { messagesPerRecord, RecordFaults, type Rejection } from './record-faults.ts'
import { closeFields, maxOuters, outerFields, recordFields } from './report-schema.ts'
import { isFlowStart, maxCounter, readIp, readTime } from './report-values.ts'

const counters = ['rx_packets', 'tx_packets', 'rx_bytes', 'tx_bytes'] as const
const mustBeTime = 'must be an RFC 3339 timestamp, for example 2026-03-01T12:00:00Z'
type Source = Record<string, unknown>

/** Reads the fields of one object and tells their faults. A required field that is null or blank is blank (A6.2). */
class Reader {
  readonly source: Source
  readonly path: string
  readonly faults: RecordFaults

  constructor(source: Source, path: string, faults: RecordFaults) {
    this.source = source
    this.path = path
    this.faults = faults
  }

  reject(name: string, message: string): undefined {
    this.faults.add(this.path + name, message)
    return undefined
  }

  sent(name: string): boolean {
    const value = this.source[name]
    return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '')
  }

  required<T>(name: string, read: (name: string) => T | undefined): T | undefined {
    return this.sent(name) ? read.call(this, name) : this.reject(name, "can't be blank")
  }

  refuseUnknown(names: Set<string>): void {
    for (const name of Object.keys(this.source)) {
      if (this.faults.truncated) return
      if (!names.has(name)) this.reject(excerpt(name), 'is not a known field')
    }
  }

  ip(name: string): string | undefined {
    return readIp(this.source[name]) ?? this.reject(name, 'must be an IPv4 or IPv6 address')
  }

  port(name: string): number | undefined {
    const value = this.integer(name, 65_535n)
    return value === undefined ? undefined : Number(value)
  }

  counter(name: string): Counter | undefined {
    const value = this.integer(name, maxCounter)
    if (value === undefined) return undefined
    return value > Number.MAX_SAFE_INTEGER ? String(value) : Number(value)
  }

  /** A JSON integer: a number whose value is one, so `1.0` and `1e3` are. */
  integer(name: string, most: bigint): number | bigint | undefined {
    const value = this.source[name]
    // An infinite one was an integer of more digits than a double holds.
    const isInteger =
      typeof value === 'number' && (Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY)
    if (!isInteger && typeof value !== 'bigint') return this.reject(name, 'must be an integer')
    if (value < 0) return this.reject(name, 'must be greater than or equal to 0')
    return value > most ? this.reject(name, `must be less than or equal to ${most}`) : value
  }

  time(name: string): number | undefined {
    return readTime(this.source[name]) ?? this.reject(name, mustBeTime)
  }

  start(name: string): number | undefined {
    const micros = this.time(name)
    return micros === undefined || isFlowStart(micros) ? micros : this.reject(name, 'must be from 1970 to 2112')
  }
}

/** A report, or the first messages of its fields (L10). Integers beyond 2^53 come in as bigint. */
export function validateFlowReport(
  record: unknown,
  mostMessages = messagesPerRecord,
): { report: FlowReport } | Rejection {
  const faults = new RecordFaults(mostMessages)
  if (!isObject(record)) {
    faults.add('record', 'must be a JSON object')
    return faults
  }
  const reader = new Reader(record, '', faults)
  reader.refuseUnknown(recordFields)
  const report = {
    protocol: reader.required('protocol', (name) => protocolOf(reader, name)),
    inner_src_ip: reader.required('inner_src_ip', reader.ip),
    inner_src_port: reader.required('inner_src_port', reader.port),
    inner_dst_ip: reader.required('inner_dst_ip', reader.ip),
    inner_dst_port: reader.required('inner_dst_port', reader.port),
    flow_start: reader.required('flow_start', reader.start),
    domain: domainOf(reader),
    closing: closingOf(reader),
  }
  return faults.none ? { report: report as FlowReport } : faults
}

function protocolOf(reader: Reader, name: string): 'tcp' | 'udp' | undefined {
  const value = reader.source[name]
  return value === 'tcp' || value === 'udp' ? value : reader.reject(name, mustBeOneOf(['tcp', 'udp']))
}

function domainOf(reader: Reader): string | null | undefined {
  if (!reader.sent('domain')) return null
  const { domain } = reader.source
  if (typeof domain !== 'string' || domain.includes('\0') || !domain.isWellFormed()) {
    return reader.reject('domain', 'is invalid')
  }
  const text = domain.trim()
  return isLonger(text, 255) ? reader.reject('domain', 'should be at most 255 character(s)') : text
}

/** A record with any of the six close fields is judged as a close report (L10.1). */
function closingOf(reader: Reader): Partial<Closing> | null {
  if (!closeFields.some((name) => reader.sent(name))) {
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
  if (!Array.isArray(outers)) return reader.reject('outers', 'must be a list')
  if (outers.length === 0) return reader.reject('outers', 'should have at least 1 item(s)')
  if (outers.length > maxOuters) return reader.reject('outers', `should have at most ${maxOuters} item(s)`)
  const paths: Partial<OuterPath>[] = []
  for (const [i, outer] of outers.entries()) {
    if (reader.faults.truncated) break
    paths.push(outerOf(outer, i, reader) ?? {})
  }
  return paths as OuterPath[]
}

function outerOf(outer: unknown, index: number, { faults }: Reader): Partial<OuterPath> | undefined {
  const path = `outers.${index}`
  if (!isObject(outer)) {
    faults.add(path, 'must be an object')
    return undefined
  }
  const reader = new Reader(outer, `${path}.`, faults)
  reader.refuseUnknown(outerFields)
  const source = reader.sent('src_ip') || reader.sent('src_port')
  return {
    src_ip: source ? reader.required('src_ip', reader.ip) : null,
    src_port: source ? reader.required('src_port', reader.port) : null,
    dst_ip: reader.required('dst_ip', reader.ip),
    dst_port: reader.required('dst_port', reader.port),
    path_activated_at: reader.required('path_activated_at', reader.time),
  }
}

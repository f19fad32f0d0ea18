import type { FieldErrors } from '../../core/faults.ts'
import { isObject } from '../../core/json/is-object.ts'
import { excerpt } from '../../values/text.ts'
import {
  type Closing,
  closing,
  destination,
  domain,
  type Field,
  FieldFault,
  type FlowReport,
  flow,
  maxOuters,
  type OuterPath,
  source,
} from './flow-report.ts'

type Source = Record<string, unknown>

/** `truncated` is true if some validation messages were omitted. */
type Rejection = { errors: FieldErrors; truncated: boolean }

/** Maximum number of validation messages per record in a response (L8). */
export const maxMessages = 20

const closeNames = Object.keys(closing)
const recordNames = new Set([...Object.keys(flow), 'domain', 'outers', ...closeNames])
const outerNames = new Set([...Object.keys(source), ...Object.keys(destination)])
const blank = "can't be blank"

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Reads the declared fields of a record and collects faults. After a fault, the returned report is incomplete. */
class RecordReader {
  readonly faults: [field: string, message: string][] = []
  truncated = false
  private readonly messages: number
  private index: number | null = null

  constructor(messages: number) {
    this.messages = messages
  }

  refuse(field: string, message: string): void {
    if (this.faults.length === this.messages) this.truncated = true
    else this.faults.push([this.index === null ? field : `outers.${this.index}.${field}`, message])
  }

  report(record: Source): FlowReport {
    this.refuseUnknown(record, recordNames)
    return {
      protocol: this.required('protocol', flow.protocol, record.protocol),
      inner_src_ip: this.required('inner_src_ip', flow.inner_src_ip, record.inner_src_ip),
      inner_src_port: this.required('inner_src_port', flow.inner_src_port, record.inner_src_port),
      inner_dst_ip: this.required('inner_dst_ip', flow.inner_dst_ip, record.inner_dst_ip),
      inner_dst_port: this.required('inner_dst_port', flow.inner_dst_port, record.inner_dst_port),
      flow_start: this.required('flow_start', flow.flow_start, record.flow_start),
      domain: isBlank(record.domain) ? null : this.required('domain', domain, record.domain),
      closing: this.closing(record),
    }
  }

  /** Returns null for an open report. The outer paths of an open report are validated but not stored. */
  private closing(record: Source): Closing | null {
    const isClosing = closeNames.some((name) => !isBlank(record[name]))
    const outers = isBlank(record.outers) ? null : this.outers(record.outers)
    if (!isClosing) return null
    if (!outers) this.refuse('outers', blank)
    return {
      flow_end: this.required('flow_end', closing.flow_end, record.flow_end),
      last_packet: this.required('last_packet', closing.last_packet, record.last_packet),
      rx_packets: this.required('rx_packets', closing.rx_packets, record.rx_packets),
      tx_packets: this.required('tx_packets', closing.tx_packets, record.tx_packets),
      rx_bytes: this.required('rx_bytes', closing.rx_bytes, record.rx_bytes),
      tx_bytes: this.required('tx_bytes', closing.tx_bytes, record.tx_bytes),
      outers: outers ?? [],
    }
  }

  private outers(outers: unknown): OuterPath[] {
    const paths: OuterPath[] = []
    if (!Array.isArray(outers)) this.refuse('outers', 'must be a list')
    else if (outers.length === 0) this.refuse('outers', 'should have at least 1 item(s)')
    else if (outers.length > maxOuters) this.refuse('outers', `should have at most ${maxOuters} item(s)`)
    else {
      for (let i = 0; i < outers.length && !this.truncated; i++) {
        const outer: unknown = outers[i]
        if (isObject(outer)) paths.push(this.outer(outer, i))
        else this.refuse(`outers.${i}`, 'must be an object')
      }
    }
    return paths
  }

  private outer(outer: Source, index: number): OuterPath {
    this.index = index
    this.refuseUnknown(outer, outerNames)
    const isKnown = !isBlank(outer.src_ip) || !isBlank(outer.src_port)
    const path = {
      src_ip: isKnown ? this.required('src_ip', source.src_ip, outer.src_ip) : null,
      src_port: isKnown ? this.required('src_port', source.src_port, outer.src_port) : null,
      dst_ip: this.required('dst_ip', destination.dst_ip, outer.dst_ip),
      dst_port: this.required('dst_port', destination.dst_port, outer.dst_port),
      path_activated_at: this.required('path_activated_at', destination.path_activated_at, outer.path_activated_at),
    }
    this.index = null
    return path
  }

  private refuseUnknown(object: Source, names: Set<string>): void {
    for (const name in object) {
      if (this.truncated) return
      if (!names.has(name)) this.refuse(excerpt(name), 'is not a known field')
    }
  }

  /**
   * Reads a required field. If the field is invalid, callers must not use the result. Callers pass `record.x`, which is twice as fast as
   * reading `record[name]` here.
   */
  private required<T>(name: string, { read }: Field<T>, sent: unknown): T {
    const value = read(sent)
    if (value instanceof FieldFault) this.refuse(name, isBlank(sent) ? blank : value.message)
    return value as T
  }
}

/** Validates a report (L10). Returns the report, or the first validation messages by field. Integers beyond 2^53 must be bigint. */
export function checkFlowReport(record: unknown, messages = maxMessages): { report: FlowReport } | Rejection {
  const reader = new RecordReader(messages)
  if (!isObject(record)) reader.refuse('record', 'must be a JSON object')
  const report = isObject(record) && reader.report(record)
  const { faults, truncated } = reader
  if (report && faults.length === 0 && !truncated) return { report }
  return { errors: Object.fromEntries(faults.map(([field, message]) => [field, [message]])), truncated }
}

import { isObject } from '../../core/json/is-object.ts'
import type { Closing, Counter, FlowReport, OuterPath } from './flow-report.ts'
import { maxOuters } from './report-schema.ts'
import { isFlowStart, isPort, maxCounter, readIp, readTime } from './report-values.ts'

type Source = Record<string, unknown>

/** Counts those of these keys that the object has; one that has more keys than that has others. */
function present(source: Source, names: readonly string[]): number {
  let count = 0
  for (const name of names) if (source[name] !== undefined) count++
  return count
}

const closeFields = ['flow_end', 'last_packet', 'rx_packets', 'tx_packets', 'rx_bytes', 'tx_bytes'] as const
const outerFields = ['src_ip', 'src_port', 'dst_ip', 'dst_port', 'path_activated_at'] as const
const openFields = 6

/** A valid report in one pass, null when anything about it is not plainly right: speed for the millions that are. */
export function fastParseFlowReport(record: unknown): FlowReport | null {
  if (!isObject(record)) return null
  const { protocol, inner_src_port, inner_dst_port, domain = null, outers } = record
  const inner_src_ip = readIp(record.inner_src_ip)
  const inner_dst_ip = readIp(record.inner_dst_ip)
  const flow_start = readTime(record.flow_start)
  if (protocol !== 'tcp' && protocol !== 'udp') return null
  if (inner_src_ip === null || inner_dst_ip === null || !isPort(inner_src_port) || !isPort(inner_dst_port)) return null
  if (flow_start === null || !isFlowStart(flow_start)) return null
  if (domain !== null && !isPlainDomain(domain)) return null

  const closes = record.flow_end !== undefined
  const closing = closes ? readClosing(record, outers) : null
  if (closes ? closing === null : outers !== undefined && readOuters(outers) === null) return null
  const optional =
    (record.domain === undefined ? 0 : 1) + (outers === undefined ? 0 : 1) + (closes ? closeFields.length : 0)
  if (Object.keys(record).length !== openFields + optional) return null
  return { protocol, inner_src_ip, inner_src_port, inner_dst_ip, inner_dst_port, flow_start, domain, closing }
}

const isPlainDomain = (value: unknown): value is string => typeof value === 'string' && /^[\w.:-]{1,255}$/.test(value)

function readClosing(record: Source, outers: unknown): Closing | null {
  const flow_end = readTime(record.flow_end)
  const last_packet = readTime(record.last_packet)
  const rx_packets = readCounter(record.rx_packets)
  const tx_packets = readCounter(record.tx_packets)
  const rx_bytes = readCounter(record.rx_bytes)
  const tx_bytes = readCounter(record.tx_bytes)
  if (flow_end === null || last_packet === null) return null
  if (rx_packets === null || tx_packets === null || rx_bytes === null || tx_bytes === null) return null
  const paths = readOuters(outers)
  return paths && { flow_end, last_packet, rx_packets, tx_packets, rx_bytes, tx_bytes, outers: paths }
}

/** A count as it is kept; null for anything that is none. Beyond 2^53 only a bigint is exact. */
function readCounter(value: unknown): Counter | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null
  return typeof value === 'bigint' && value >= 0n && value <= maxCounter ? String(value) : null
}

function readOuters(outers: unknown): OuterPath[] | null {
  if (!Array.isArray(outers) || outers.length === 0 || outers.length > maxOuters) return null
  const paths: OuterPath[] = []
  for (const outer of outers) {
    const path = isObject(outer) ? readOuter(outer) : null
    if (path === null) return null
    paths.push(path)
  }
  return paths
}

function readOuter(outer: Source): OuterPath | null {
  const { src_port: sourcePort, dst_port } = outer
  const dst_ip = readIp(outer.dst_ip)
  const path_activated_at = readTime(outer.path_activated_at)
  if (dst_ip === null || !isPort(dst_port) || path_activated_at === null) return null
  if (Object.keys(outer).length !== present(outer, outerFields)) return null
  if (outer.src_ip === undefined && sourcePort === undefined) {
    return { src_ip: null, src_port: null, dst_ip, dst_port, path_activated_at }
  }
  const src_ip = readIp(outer.src_ip)
  return src_ip === null || !isPort(sourcePort)
    ? null
    : { src_ip, src_port: sourcePort, dst_ip, dst_port, path_activated_at }
}

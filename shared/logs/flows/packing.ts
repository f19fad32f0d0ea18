import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { FlowReport, OuterPath } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

/** Report as a list of values without field names. All times are relative, to save space and CPU time. */
export type ReportRow = [
  protocol: unknown,
  ip: unknown,
  port: unknown,
  ip: unknown,
  port: unknown,
  sinceIngest: number,
  ...unknown[],
]

/** Stream record with many reports that were sent with the same ingest token. `ingested_at` is in microseconds. */
export type Pack = { claims: IngestClaims; ingested_at: number; rows: ReportRow[] }

const version = 1

/** Maximum uncompressed length of a pack in characters. Even a pack that cannot be compressed fits into a stream record of 1 MiB. */
const maxPackLength = 250_000
const reportsPerPack = 1_000

export function reportRow(report: FlowReport, ingestedAt: number): ReportRow {
  const { closing, flow_start: start } = report
  const row: ReportRow = [
    report.protocol,
    report.inner_src_ip,
    report.inner_src_port,
    report.inner_dst_ip,
    report.inner_dst_port,
    start - ingestedAt,
    report.domain,
  ]
  if (!closing) return row
  row.push(closing.flow_end - start, closing.last_packet - start)
  row.push(closing.rx_packets, closing.tx_packets, closing.rx_bytes, closing.tx_bytes)
  for (const outer of closing.outers) {
    row.push(outer.src_ip, outer.src_port, outer.dst_ip, outer.dst_port, outer.path_activated_at - start)
  }
  return row
}

const outersAt = 13

export const rowStart = (row: ReportRow, ingestedAt: number): number => ingestedAt + row[5]

// biome-ignore lint/suspicious/noExplicitAny: written by `reportRow`
export function parseRow(row: any[], ingestedAt: number): FlowReport {
  const [protocol, inner_src_ip, inner_src_port, inner_dst_ip, inner_dst_port, sinceIngest, domain, ...closing] = row
  const flow_start = ingestedAt + sinceIngest
  const open = { protocol, inner_src_ip, inner_src_port, inner_dst_ip, inner_dst_port, flow_start, domain }
  if (closing.length === 0) return { ...open, closing: null }
  const [end, last, rx_packets, tx_packets, rx_bytes, tx_bytes] = closing
  const outers: OuterPath[] = []
  for (let at = outersAt; at < row.length; at += 5) {
    const path_activated_at = flow_start + row[at + 4]
    outers.push({
      src_ip: row[at],
      src_port: row[at + 1],
      dst_ip: row[at + 2],
      dst_port: row[at + 3],
      path_activated_at,
    })
  }
  const counters = { rx_packets, tx_packets, rx_bytes, tx_bytes }
  return { ...open, closing: { flow_end: flow_start + end, last_packet: flow_start + last, ...counters, outers } }
}

/** Zstandard at level 1, which takes half the CPU time of the fastest deflate and produces a smaller result. */
export const fastCompression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

function splitRows(rows: unknown[][]): string[] {
  const text = JSON.stringify(rows)
  if (text.length <= maxPackLength || rows.length === 1) return [text]
  const middle = rows.length >> 1
  return [...splitRows(rows.slice(0, middle)), ...splitRows(rows.slice(middle))]
}

export function pack(claims: IngestClaims, ingestedAt: number, reports: FlowReport[]): Buffer[] {
  const prefix = JSON.stringify({ version, claims, ingested_at: ingestedAt }).slice(0, -1)
  const packs: Buffer[] = []
  for (let at = 0; at < reports.length; at += reportsPerPack) {
    const texts = splitRows(reports.slice(at, at + reportsPerPack).map((report) => reportRow(report, ingestedAt)))
    for (const text of texts) packs.push(zstdCompressSync(`${prefix},"rows":${text}}`, fastCompression))
  }
  return packs
}

/** Pack without reports, which consumers skip. */
export const emptyPack = (ingestedAt: number): Buffer =>
  zstdCompressSync(JSON.stringify({ version, claims: {}, ingested_at: ingestedAt, rows: [] }), fastCompression)

/** Decodes a pack. @throws Error for data that is not a pack or has an unknown version */
export function unpack(bytes: Uint8Array): Pack {
  const value = JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: 4_000_000 }).toString())
  if (value?.version !== version || !Array.isArray(value.rows)) throw new Error('This is not a pack of flow reports.')
  return value
}

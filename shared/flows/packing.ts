import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { FlowReport } from './flow-report.ts'
import type { IngestClaims } from './ingest-token.ts'

/** Many reports of one token in one stream record: the claims once, and when they came in. */
export type Pack = { version: 1; claims: IngestClaims; ingested_at: number; reports: FlowReport[] }

/** Before compression; well below the 1 MiB of a stream record even for reports that do not compress. */
const maxPackBytes = 400_000

const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? { $int: String(item) } : item))

const decode = (text: string): unknown =>
  JSON.parse(text, (_key, item) =>
    item !== null && typeof item === 'object' && typeof item.$int === 'string' ? BigInt(item.$int) : item,
  )

/** Cuts reports into packs that fit a stream record each, in their order. */
export function pack(claims: IngestClaims, ingestedAt: number, reports: FlowReport[]): Buffer[] {
  const packs: Buffer[] = []
  let part: string[] = []
  let size = 0
  const flush = () => {
    if (part.length === 0) return
    const head = encode({ version: 1, claims, ingested_at: ingestedAt })
    packs.push(deflateRawSync(`${head.slice(0, -1)},"reports":[${part.join(',')}]}`))
    part = []
    size = 0
  }
  for (const report of reports) {
    const text = encode(report)
    if (size + text.length > maxPackBytes) flush()
    part.push(text)
    size += text.length
  }
  flush()
  return packs
}

/** @throws for a record that is none of ours */
export function unpack(bytes: Uint8Array): Pack {
  const value = decode(inflateRawSync(bytes, { maxOutputLength: 8_000_000 }).toString()) as Pack
  if (value?.version !== 1 || !Array.isArray(value.reports)) throw new Error('This is no pack of flow reports.')
  return value
}

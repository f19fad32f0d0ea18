import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { compareIds, type IdRange, instantOf } from '../entries/log-id.ts'
import { fastCompression, parseRow, type ReportRow, reportRow } from '../flows/packing.ts'
import type { ReadBudget } from '../flows/read-budget.ts'
import { type BufferedFlow, type FlowIds, flowIds, flowLogId } from '../flows/stored-flow.ts'

/** Reports that arrived with one token at one time. `rows` refer to it by its number in the block. */
export type Batch = FlowIds & { ingested_at: number }

/** Report in a block: the number of its batch, then the row of the report. */
export type BlockRow = [batch: number, ...ReportRow]

const version = 1

/** Maximum size of a block in bytes (R2). A single report can be larger. */
export const maxBlockBytes = 65_536

/** Maximum number of characters of a block before compression, which keeps the memory of a reader small. */
const maxBlockLength = 1_000_000

const decompression = { maxOutputLength: 64_000_000 }

/** Encodes reports, sorted by start, as the contents of blocks of at most 64 KB: JSON under zstd. */
export function encodeBlocks(batches: Batch[], rows: BlockRow[]): { content: Buffer; rows: BlockRow[] }[] {
  const numbers = new Map<number, number>()
  const renumbered = rows.map(([batch, ...row]): BlockRow => {
    if (!numbers.has(batch)) numbers.set(batch, numbers.size)
    return [numbers.get(batch) as number, ...row]
  })
  const text = JSON.stringify({
    version,
    batches: [...numbers.keys()].map((number) => batches[number]),
    rows: renumbered,
  })
  const content = text.length > maxBlockLength && rows.length > 1 ? null : zstdCompressSync(text, fastCompression)
  if (content && (content.length <= maxBlockBytes || rows.length === 1)) return [{ content, rows }]
  const middle = rows.length >> 1
  return [...encodeBlocks(batches, rows.slice(0, middle)), ...encodeBlocks(batches, rows.slice(middle))]
}

/** Encodes flows that are already merged and sorted by start, such as the open flows of an hour. */
export function encodeFlows(flows: BufferedFlow[]): Buffer[] {
  const batches: Batch[] = []
  const numbers = new Map<string, number>()
  const rows = flows.map(({ ids, at, report }): BlockRow => {
    const name = `${ids.policy_authorization_id} ${ids.role} ${at}`
    let number = numbers.get(name)
    if (number === undefined) {
      number = batches.push({ ...flowIds(ids), ingested_at: at }) - 1
      numbers.set(name, number)
    }
    return [number, ...reportRow(report, at)]
  })
  return rows.length === 0 ? [] : encodeBlocks(batches, rows).map(({ content }) => content)
}

type Stored = { account: string; storedAt: number; rank: string }

/** Position of reports in the order of log ids, the direction of reading, and the limits of a request. */
export type IdWalk = { range: IdRange; ascending: boolean; budget?: ReadBudget }

/**
 * Yields the reports of a block in the order of their log ids. Reports of one flow stay in their order. Decodes rows on demand, because a
 * page needs only few rows of a block.
 * @throws Error for content that is not a block
 */
export function* readBlock(
  content: Uint8Array,
  { account, storedAt, rank }: Stored,
  { range: { first, last }, ascending }: IdWalk,
): Generator<BufferedFlow, undefined> {
  const block = JSON.parse(zstdDecompressSync(content, decompression).toString())
  if (block?.version !== version) throw new Error('This is not a block of flow reports.')
  const batches: Batch[] = block.batches
  const ids = batches.map((batch) => ({ ...flowIds(batch), account_id: account }))
  const rows: BlockRow[] = block.rows
  const timeOf = (row: BlockRow) => batches[row[0]]?.ingested_at ?? 0
  // Reads the start as `rowStart` does, without a copy of the row.
  const startOf = (row: BlockRow) => timeOf(row) + row[6]
  const toFlow = (row: BlockRow): BufferedFlow => {
    const batchIds = ids[row[0]] as (typeof ids)[number]
    const at = timeOf(row)
    const report = parseRow(row.slice(1), at)
    const fend = report.closing?.flow_end
    const sk = flowLogId(batchIds, report)
    return { sk, at, ...(fend !== undefined && { fend }), ids: batchIds, report, storedAt, rank }
  }
  const [begin, end] = [instantOf(first), instantOf(last)]
  const sign = ascending ? 1 : -1
  for (let left = 0, right = rows.length; left < right; ) {
    // Takes the rows that start at the same time, because only rows are sorted in a block, not log ids.
    const start = startOf(rows[ascending ? left : right - 1] as BlockRow)
    const from = ascending ? left : right - 1
    let to = from
    while (to >= left && to < right && startOf(rows[to] as BlockRow) === start) to += sign
    const same = ascending ? rows.slice(from, to) : rows.slice(to + 1, from + 1)
    if (ascending) left = to
    else right = to + 1
    if (start < begin || start > end) continue
    const flows = same.map(toFlow).filter(({ sk }) => sk >= first && sk <= last)
    yield* flows.length < 2 ? flows : flows.sort((a, b) => sign * compareIds(a.sk, b.sk))
  }
}

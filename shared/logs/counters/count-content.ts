import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { hourMicros } from '../../core/clock.ts'
import { type HourCounts, type Sum, sumCount, toSum } from './value-counts.ts'

const version = 1

/** Maximum size of the content of an item, below DynamoDB's limit of 400 KB. */
export const contentLimits = { bytes: 380_000 }

const decompression = { maxOutputLength: 64_000_000 }

/**
 * Content of an item. `header` is JSON with the values of all hours. `bytes` contains each list of sums byte by byte: the lowest byte of all
 * sums, then the next. The lowest bytes are random, so that only the others are compressed well.
 */
export type CountContent = { header: Uint8Array; bytes: Uint8Array[] }

/** Counters of an hour without its sums. Values are numbers in `dictionary`, each relative to the one before. */
type HeaderHour = {
  hour: number
  values: number[]
  rest: { sums: string[]; filters: string[]; isMixed: boolean } | null
}
/** `widths` are the numbers of bytes of the lists of sums. */
type Header = { version: number; dictionary: string[]; widths: number[]; hours: HeaderHour[] }

export const contentSize = ({ header, bytes }: CountContent): number =>
  bytes.reduce((sum, { length }) => sum + length, header.length)

/** Returns the bytes of sums, as one list of all lowest bytes, one of the next bytes, and so on. */
function bytesOf(sums: Sum[]): Uint8Array[] {
  let greatest: Sum = 0
  for (const sum of sums) if (sum > greatest) greatest = sum
  return Array.from({ length: Math.ceil(greatest.toString(16).length / 2) }, (_, at) =>
    Uint8Array.from(sums, (sum) =>
      typeof sum === 'number' ? Math.floor(sum / 256 ** at) % 256 : Number((sum >> BigInt(8 * at)) & 255n),
    ),
  )
}

function sumsOf(bytes: Uint8Array[], count: number): Sum[] {
  const sums = new Array<number>(count).fill(0)
  for (const [at, ofSums] of bytes.entries())
    for (let i = 0; i < count; i++) sums[i] = (sums[i] as number) + (ofSums[i] as number) * 256 ** at
  if (bytes.length < 7) return sums
  const largeSum = (i: number) => bytes.reduceRight((sum, ofSums) => (sum << 8n) | BigInt(ofSums[i] as number), 0n)
  return sums.map((sum, i) => (sum <= Number.MAX_SAFE_INTEGER ? sum : largeSum(i)))
}

/** Encodes counters as the content of one item. */
export function encodeContent(hours: HourCounts[]): CountContent {
  const dictionary = [...new Set(hours.flatMap(({ values }) => values))].sort()
  const positions = new Map(dictionary.map((value, position) => [value, position]))
  const columns = Array.from({ length: sumCount }, (_, i) => bytesOf(hours.flatMap(({ columns: own }) => own[i] ?? [])))
  const header: Header = {
    version,
    dictionary,
    widths: columns.map(({ length }) => length),
    hours: hours.map(({ hour, values, rest }) => {
      const numbers = values.map((value) => positions.get(value) ?? 0)
      const filters = rest?.filters.map((filter) => Buffer.from(filter).toString('base64')) ?? []
      return {
        hour: hour / hourMicros,
        values: numbers.map((position, i) => position - (numbers[i - 1] ?? 0)),
        rest: rest && { ...rest, filters, sums: rest.sums.map(String) },
      }
    }),
  }
  return {
    header: zstdCompressSync(JSON.stringify(header)),
    bytes: columns.flat().map((bytes) => zstdCompressSync(bytes)),
  }
}

/** Divides the counters of an hour with several filters: the second part has no values and sums. */
function divideFilters(counts: HourCounts): HourCounts[] {
  const { hour, columns, rest } = counts
  if (!rest || rest.filters.length === 1) return [counts]
  const middle = rest.filters.length >> 1
  const part = (filters: Uint8Array[], sums: Sum[]) => ({ sums, filters, isMixed: true })
  const second = part(
    rest.filters.slice(middle),
    rest.sums.map(() => 0),
  )
  return [
    { ...counts, rest: part(rest.filters.slice(0, middle), rest.sums) },
    { hour, values: [], columns: columns.map(() => []), rest: second },
  ]
}

/** Encodes counters as the contents of items. Hours that do not fit into one item are divided, and so are the filters of an hour. */
export function encodeCounts(hours: HourCounts[]): CountContent[] {
  const content = encodeContent(hours)
  if (contentSize(content) <= contentLimits.bytes) return [content]
  const parts = hours.length === 1 ? divideFilters(hours[0] as HourCounts) : hours
  if (parts.length === 1) return [content]
  const middle = parts.length >> 1
  return [...encodeCounts(parts.slice(0, middle)), ...encodeCounts(parts.slice(middle))]
}

/** Decodes the counters of an item. @throws Error for content of an unknown version */
export function decodeCounts({ header, bytes }: CountContent): HourCounts[] {
  const { dictionary, widths, hours, ...read }: Header = JSON.parse(
    zstdDecompressSync(header, decompression).toString(),
  )
  if (read.version !== version) throw new Error('These are not counters of flows.')
  const all = bytes.map((compressed) => zstdDecompressSync(compressed, decompression)).values()
  const columns = widths.map((width) => {
    const ofColumn = all.take(width).toArray()
    return sumsOf(ofColumn, ofColumn[0]?.length ?? 0)
  })
  let next = 0
  return hours.map(({ hour, values, rest }) => {
    const first = next
    next += values.length
    let position = 0
    return {
      hour: hour * hourMicros,
      values: values.map((difference) => {
        position += difference
        return dictionary[position] as string
      }),
      columns: columns.map((sums) => sums.slice(first, next)),
      rest: rest && {
        ...rest,
        filters: rest.filters.map((filter) => Buffer.from(filter, 'base64')),
        sums: rest.sums.map((sum) => toSum(BigInt(sum))),
      },
    }
  })
}

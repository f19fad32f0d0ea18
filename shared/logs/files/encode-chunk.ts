import { zstdCompressSync } from 'node:zlib'
import { ByteWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js'
import { unconvertMinMax } from 'hyparquet-writer/src/unconvert.js'
import type { ColumnLeaf, LeafValues, WriterMetadata } from './column-leaves.ts'
import type { FileScalar, ScalarType } from './columns.ts'

type ColumnChunk = WriterMetadata['row_groups'][number]['columns'][number]
type Statistics = NonNullable<ColumnChunk['meta_data']>['statistics']
type PageHeader = Parameters<typeof writePageHeader>[1]
type Bound = bigint | number | Uint8Array | undefined
/** Values in the encoding PLAIN, with the smallest and the largest value. */
type PlainValues = { bytes: Buffer; min: Bound; max: Bound }

/** Compares two byte ranges as unsigned bytes, which is the order of UTF-8 strings in Parquet statistics. */
function compareRanges(bytes: Buffer, left: number, leftEnd: number, right: number, rightEnd: number): number {
  while (left < leftEnd && right < rightEnd && bytes[left] === bytes[right]) {
    left++
    right++
  }
  if (left === leftEnd || right === rightEnd) return leftEnd - left - (rightEnd - right)
  return (bytes[left] as number) - (bytes[right] as number)
}

function plainStrings(values: string[]): PlainValues {
  let size = 0
  for (const value of values) size += 4 + value.length * 3
  const bytes = Buffer.allocUnsafe(size)
  let [at, min, minEnd, max, maxEnd] = [0, 0, 0, 0, 0]
  for (const value of values) {
    const start = at + 4
    const end = start + bytes.write(value, start)
    bytes.writeUInt32LE(end - start, at)
    if (at === 0 || compareRanges(bytes, start, end, min, minEnd) < 0) [min, minEnd] = [start, end]
    if (at === 0 || compareRanges(bytes, start, end, max, maxEnd) > 0) [max, maxEnd] = [start, end]
    at = end
  }
  const isEmpty = values.length === 0
  return {
    bytes: bytes.subarray(0, at),
    min: isEmpty ? undefined : bytes.subarray(min, minEnd),
    max: isEmpty ? undefined : bytes.subarray(max, maxEnd),
  }
}

/** Fixed-width integers or numbers, which are little-endian on every platform of Node.js. */
type Numbers = Int32Array | BigInt64Array | Float64Array

/** Encodes numbers of a fixed width. @throws RangeError if a number does not fit */
function plainNumbers<T extends number | bigint>(
  values: T[],
  encoded: Numbers,
  convert: (value: T) => T | bigint,
): PlainValues {
  let [min, max] = [values[0], values[0]]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as T
    const converted = convert(value)
    encoded[i] = converted
    if (encoded[i] !== converted) throw new RangeError(`${value} does not fit into its column.`)
    if (value < (min as T)) min = value
    if (value > (max as T)) max = value
  }
  return { bytes: Buffer.from(encoded.buffer), min, max }
}

const same = <T>(value: T): T => value
const plain = {
  string: plainStrings,
  bigint: (values: bigint[]) => plainNumbers(values, new BigInt64Array(values.length), same),
  int: (values: number[]) => plainNumbers(values, new Int32Array(values.length), same),
  double: (values: number[]) => plainNumbers(values, new Float64Array(values.length), same),
  timestamp: (values: number[]) => plainNumbers(values, new BigInt64Array(values.length), BigInt),
} satisfies Record<ScalarType, unknown> as Record<ScalarType, (values: FileScalar[]) => PlainValues>

/** Number of distinct values up to which an encoder does not decide against a dictionary yet. */
const minDistinct = 64

type Dictionary = { distinct: FileScalar[]; indexes: Uint32Array<ArrayBuffer> }

/** Builds a dictionary. Returns null if more than half of the values are distinct, usually after few values. */
function dictionaryOf(values: FileScalar[]): Dictionary | null {
  const positions = new Map<FileScalar, number>()
  const distinct: FileScalar[] = []
  const indexes = new Uint32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as FileScalar
    let position = positions.get(value)
    if (position === undefined) {
      position = distinct.length
      if (position > minDistinct + i / 2) return null
      positions.set(value, position)
      distinct.push(value)
    }
    indexes[i] = position
  }
  return distinct.length > values.length / 2 ? null : { distinct, indexes }
}

/** Maximum size of a bound of a string in bytes. The metadata of a full file of flows then fit into the first read of a reader. */
const maxBoundBytes = 12

/** Shortens the bounds of strings as they are stored, so that they do not keep the bytes of whole pages in memory. */
function boundsOf({ element }: ColumnLeaf, min: Bound, max: Bound): Statistics {
  if (!(min instanceof Uint8Array && max instanceof Uint8Array))
    return { min_value: min === 0 ? -0 : min, max_value: max === 0 ? 0 : max }
  const shortMin = unconvertMinMax(min, element, false, maxBoundBytes) as Uint8Array
  const shortMax = unconvertMinMax(max, element, true, maxBoundBytes) as Uint8Array
  return {
    min_value: Uint8Array.from(shortMin),
    max_value: Uint8Array.from(shortMax),
    is_min_value_exact: shortMin.length === min.length ? undefined : false,
    is_max_value_exact: shortMax === max ? undefined : false,
  }
}

const bitWidth = (max: number): number => 32 - Math.clz32(max)

/** Writes levels with their length in front, as data pages of version 1 have them. */
function writeLevels(page: ByteWriter, levels: number[], max: number): void {
  const encoded = new ByteWriter()
  writeRleBitPackedHybrid(encoded, levels, bitWidth(max))
  page.appendUint32(encoded.offset)
  page.appendBytes(encoded.getBytes())
}

/** Writes a page with its header. Returns its size without compression. */
function writePage(out: ByteWriter, bytes: Uint8Array, header: Partial<PageHeader> & Pick<PageHeader, 'type'>): number {
  const compressed = zstdCompressSync(bytes)
  const start = out.offset
  writePageHeader(out, { ...header, uncompressed_page_size: bytes.length, compressed_page_size: compressed.length })
  const headerSize = out.offset - start
  out.appendBytes(compressed)
  return headerSize + bytes.length
}

/** Writes the values of a leaf in one row group, as one data page and, if few values are distinct, a dictionary. */
export function encodeChunk(out: ByteWriter, leaf: ColumnLeaf, leafValues: LeafValues): ColumnChunk {
  const { values, definitions, repetitions } = leafValues
  const { element, isList, maxDefinition, path, type } = leaf
  const start = out.offset
  const dictionary = dictionaryOf(values)
  const { bytes, min, max } = plain[type](dictionary?.distinct ?? values)
  let uncompressed = 0
  if (dictionary) {
    const dictionary_page_header = { num_values: dictionary.distinct.length, encoding: 'PLAIN' } as const
    uncompressed += writePage(out, bytes, { type: 'DICTIONARY_PAGE', dictionary_page_header })
  }
  const dataStart = out.offset
  const page = new ByteWriter(16_384)
  if (isList) writeLevels(page, repetitions, 1)
  if (maxDefinition > 0) writeLevels(page, definitions, maxDefinition)
  if (dictionary) {
    const width = Math.max(1, bitWidth(dictionary.distinct.length - 1))
    page.appendUint8(width)
    writeRleBitPackedHybrid(page, dictionary.indexes, width)
  } else page.appendBytes(bytes)
  const count = definitions.length
  const encoding = dictionary ? 'RLE_DICTIONARY' : 'PLAIN'
  const levels = { definition_level_encoding: 'RLE', repetition_level_encoding: 'RLE' } as const
  const data_page_header = { num_values: count, encoding, ...levels } as const
  uncompressed += writePage(out, page.getBytes(), { type: 'DATA_PAGE', data_page_header })
  const meta_data: ColumnChunk['meta_data'] = {
    type: element.type as 'INT64',
    encodings: dictionary ? ['PLAIN', 'RLE', 'RLE_DICTIONARY'] : ['PLAIN', 'RLE'],
    path_in_schema: path,
    codec: 'ZSTD',
    num_values: BigInt(count),
    total_uncompressed_size: BigInt(uncompressed),
    total_compressed_size: BigInt(out.offset - start),
    data_page_offset: BigInt(dataStart),
    dictionary_page_offset: dictionary ? BigInt(start) : undefined,
    statistics: { null_count: BigInt(count - values.length), ...boundsOf(leaf, min, max) },
  }
  return { file_offset: 0n, meta_data }
}

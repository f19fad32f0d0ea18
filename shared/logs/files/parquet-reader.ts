import { crc32, zstdDecompressSync } from 'node:zlib'
import { type FileMetaData, parquetMetadata, type RowGroup } from 'hyparquet'
import { parquetReadColumn } from 'hyparquet/src/read.js'
import type { FileRow, FileValue } from './columns.ts'
import { checksumsKey, parquetMagic } from './parquet-writer.ts'

/** Content of a file that can be read in parts. `end` is exclusive. */
export type ByteSource = { size: number; read(start: number, end: number): Promise<Uint8Array> }

/** Size of the first read, which contains the metadata of most files. */
const tailBytes = 65_536
/** Magic, the length of the metadata, and the CRC-32 before the metadata. */
const frameBytes = 12
/** Maximum number of unneeded bytes between two columns that are read together, because a request takes longer than these bytes. */
const maxGap = 131_072

const parsers = {
  timestampFromMicroseconds: Number,
  stringFromBytes: (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
}

const compressors = {
  ZSTD: (bytes: Uint8Array, size: number) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
}

type ChunkRange = { column: string; start: number; end: number; checksum: number }
type LoadedRange = { start: number; end: number; bytes: Uint8Array }

async function readExactly(source: ByteSource, start: number, end: number): Promise<Uint8Array> {
  const bytes = await source.read(start, end)
  if (bytes.length !== end - start)
    throw new Error(`The source returned ${bytes.length} instead of ${end - start} bytes.`)
  return bytes
}

/** Reads the metadata and verifies their checksum. @throws Error if the file is damaged */
async function readMetadata(source: ByteSource): Promise<FileMetaData> {
  const { size } = source
  if (size < parquetMagic.length + frameBytes) throw new Error('The Parquet file is too short.')
  const tailStart = Math.max(0, size - tailBytes)
  let tail = Buffer.from(await readExactly(source, tailStart, size))
  if (!tail.subarray(-parquetMagic.length).equals(parquetMagic))
    throw new Error('The Parquet file does not end with PAR1.')
  const length = tail.readUInt32LE(tail.length - 8)
  const start = size - 8 - length - 4
  if (start < parquetMagic.length) throw new Error('The metadata of the Parquet file are longer than the file.')
  if (start < tailStart) tail = Buffer.concat([await readExactly(source, start, tailStart), tail])
  const footer = tail.subarray(tail.length - (size - start))
  if (crc32(footer.subarray(4, -parquetMagic.length)) !== footer.readUInt32LE(0))
    throw new Error('The checksum of the metadata of the Parquet file does not match.')
  return parquetMetadata(footer.subarray(4), { parsers: parsers as never, geoparquet: false })
}

/** Merges ranges with small gaps between them. Ranges must be sorted. */
function coalesce(chunks: ChunkRange[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = []
  for (const { start, end } of chunks) {
    const last = ranges.at(-1)
    if (last && start - last.end <= maxGap) last.end = end
    else ranges.push({ start, end })
  }
  return ranges
}

export class ParquetFile {
  /** Number of rows in each row group. */
  readonly groups: number[]
  readonly columns: string[]
  private readonly source: ByteSource
  private readonly metadata: FileMetaData
  private readonly chunks: ChunkRange[][]

  constructor(source: ByteSource, metadata: FileMetaData) {
    this.source = source
    this.metadata = metadata
    this.groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
    const encoded = metadata.key_value_metadata?.find(({ key }) => key === checksumsKey)?.value ?? ''
    const checksums = Buffer.from(encoded, 'base64')
    let index = 0
    this.chunks = metadata.row_groups.map(({ columns }) =>
      columns.map(({ meta_data }) => {
        if (!meta_data || checksums.length < 4 * index + 4)
          throw new Error('The Parquet file has no checksum for a column.')
        const start = Number(meta_data.dictionary_page_offset ?? meta_data.data_page_offset)
        const end = start + Number(meta_data.total_compressed_size)
        return {
          column: meta_data.path_in_schema[0] as string,
          start,
          end,
          checksum: checksums.readUInt32LE(4 * index++),
        }
      }),
    )
    this.columns = [...new Set(this.chunks[0]?.map(({ column }) => column))]
  }

  /** Reads rows of a row group. A column that the file does not have is null, because later versions append columns. */
  async readGroup(index: number, columns: readonly string[] = this.columns): Promise<FileRow[]> {
    const values = await this.readColumns(index, columns)
    const rows: FileRow[] = []
    for (let i = 0; i < (this.groups[index] as number); i++) {
      const row: FileRow = {}
      for (let j = 0; j < columns.length; j++) row[columns[j] as string] = values[j]?.[i] ?? null
      rows.push(row)
    }
    return rows
  }

  /** Reads the values of one column of a row group. */
  async readColumn(index: number, column: string): Promise<FileValue[]> {
    const [values] = await this.readColumns(index, [column])
    return values ?? new Array(this.groups[index]).fill(null)
  }

  private async readColumns(index: number, columns: readonly string[]): Promise<(FileValue[] | undefined)[]> {
    const group = this.metadata.row_groups[index]
    if (!group) throw new RangeError(`The Parquet file has no row group ${index}.`)
    const wanted = new Set(columns)
    const chunks = this.chunks[index]?.filter(({ column }) => wanted.has(column)) ?? []
    const loaded = await Promise.all(
      coalesce(chunks).map(async ({ start, end }) => ({
        start,
        end,
        bytes: await readExactly(this.source, start, end),
      })),
    )
    for (const chunk of chunks) {
      if (crc32(bytesBetween(loaded, chunk.start, chunk.end)) !== chunk.checksum)
        throw new Error(`The checksum of the column ${chunk.column} of row group ${index} does not match.`)
    }
    const present = new Set(chunks.map(({ column }) => column))
    return Promise.all(columns.map((column) => (present.has(column) ? this.decode(group, column, loaded) : undefined)))
  }

  private async decode(group: RowGroup, column: string, loaded: LoadedRange[]): Promise<FileValue[]> {
    const values = await parquetReadColumn({
      file: {
        byteLength: this.source.size,
        slice: (start, end) => Uint8Array.from(bytesBetween(loaded, start, end)).buffer,
      },
      metadata: { ...this.metadata, row_groups: [group] },
      columns: [column],
      compressors,
      parsers: parsers as never,
    })
    if (values.length !== Number(group.num_rows)) throw new Error(`The column ${column} has ${values.length} values.`)
    return values as FileValue[]
  }
}

function bytesBetween(loaded: LoadedRange[], start: number, end = Number.POSITIVE_INFINITY): Uint8Array {
  const range = loaded.find((one) => one.start <= start && end <= one.end)
  if (!range) throw new Error(`The bytes ${start} to ${end} of the Parquet file were not read.`)
  return range.bytes.subarray(start - range.start, end - range.start)
}

/** Opens a Parquet file with one or two reads. @throws Error if the file is damaged */
export async function openParquet(source: ByteSource): Promise<ParquetFile> {
  return new ParquetFile(source, await readMetadata(source))
}

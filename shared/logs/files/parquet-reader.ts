import { crc32 } from 'node:zlib'
import { type ColumnMetaData, type FileMetaData, parquetMetadata, parquetSchema, type SchemaTree } from 'hyparquet'
import type { FileRow, FileValue } from './columns.ts'
import { decodeColumn } from './decode-chunk.ts'
import { checksumsKey, parquetMagic } from './parquet-writer.ts'

/** Content of a file that can be read in parts. `end` is exclusive. */
export type ByteSource = { size: number; read(start: number, end: number): Promise<Uint8Array> }

/** Size of the first read, which contains the metadata of most files. */
export const tailBytes = 65_536
/** Size of the checksum before the metadata, and of the length and the magic after them. */
const [checksumBytes, endBytes] = [4, 8]
/** Maximum number of bytes between two columns that one read returns. More bytes take longer than another request. */
const maxGap = 131_072

const parsers = { timestampFromMicroseconds: Number } as unknown as NonNullable<
  Parameters<typeof parquetMetadata>[1]
>['parsers']

async function readExactly(source: ByteSource, start: number, end: number): Promise<Uint8Array> {
  const bytes = await source.read(start, end)
  if (bytes.length !== end - start)
    throw new Error(`The source returned ${bytes.length} instead of ${end - start} bytes of a Parquet file.`)
  return bytes
}

/** Reads the metadata and verifies their checksum. @throws Error if the file is damaged */
async function readMetadata(source: ByteSource): Promise<FileMetaData> {
  const { size } = source
  if (size < parquetMagic.length + checksumBytes + endBytes) throw new Error('The Parquet file is too short.')
  const tailStart = Math.max(0, size - tailBytes)
  let tail = Buffer.from(await readExactly(source, tailStart, size))
  if (!tail.subarray(-parquetMagic.length).equals(parquetMagic))
    throw new Error('The Parquet file does not end with PAR1.')
  const start = size - endBytes - tail.readUInt32LE(tail.length - endBytes) - checksumBytes
  if (start < parquetMagic.length) throw new Error('The metadata of the Parquet file are longer than the file.')
  if (start < tailStart) tail = Buffer.concat([await readExactly(source, start, tailStart), tail])
  const footer = tail.subarray(start - size)
  const checked = footer.subarray(checksumBytes, -parquetMagic.length)
  if (crc32(checked) !== footer.readUInt32LE(0))
    throw new Error('The metadata of the Parquet file do not match their checksum.')
  return parquetMetadata(footer.subarray(checksumBytes), { parsers, geoparquet: false })
}

type Chunk = { column: string; start: number; end: number; checksum: number; metadata: ColumnMetaData }
type LoadedRange = { start: number; end: number; bytes: Uint8Array }

function chunksOf({ key_value_metadata, row_groups }: FileMetaData): Chunk[][] {
  const encoded = key_value_metadata?.find(({ key }) => key === checksumsKey)?.value ?? ''
  const checksums = Buffer.from(encoded, 'base64')
  let index = 0
  return row_groups.map(({ columns }) =>
    columns.map(({ meta_data: metadata }) => {
      const column = metadata?.path_in_schema[0]
      if (!metadata || !column) throw new Error('A column of the Parquet file has no metadata.')
      if (checksums.length < 4 * (index + 1))
        throw new Error(`The Parquet file has no checksum of the column ${column}.`)
      const start = Number(metadata.dictionary_page_offset ?? metadata.data_page_offset)
      const end = start + Number(metadata.total_compressed_size)
      return { column, start, end, checksum: checksums.readUInt32LE(4 * index++), metadata }
    }),
  )
}

/** Merges the ranges of chunks with small gaps between them. */
function coalesce(chunks: Chunk[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = []
  for (const { start, end } of chunks) {
    const last = ranges.at(-1)
    if (last && start - last.end <= maxGap) last.end = end
    else ranges.push({ start, end })
  }
  return ranges
}

/** Open Parquet file with log entries. */
export class ParquetFile {
  /** Number of rows in each row group. */
  readonly groups: number[]
  /** Names of the columns in the order of the file. */
  readonly columns: string[]
  private readonly source: ByteSource
  private readonly tree: SchemaTree
  private readonly chunks: Chunk[][]

  constructor(source: ByteSource, metadata: FileMetaData) {
    this.source = source
    this.tree = parquetSchema(metadata)
    this.groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
    this.columns = this.tree.children.map(({ element }) => element.name)
    this.chunks = chunksOf(metadata)
  }

  /**
   * Reads the rows of a row group with the given columns, or with all. A column that the file does not have is null, because later
   * versions append columns. @throws Error if the bytes of a column are damaged
   */
  async readGroup(index: number, columns: readonly string[] = this.columns): Promise<FileRow[]> {
    const values = await this.readColumns(index, columns)
    // Copies an object that has all columns already, because adding them to each row takes several times as long.
    const empty: FileRow = Object.fromEntries(columns.map((column) => [column, null]))
    const rows = Array.from({ length: this.groups[index] ?? 0 }, () => ({ ...empty }))
    for (const [j, column] of columns.entries()) {
      const ofColumn = values[j] as FileValue[]
      for (let i = 0; i < rows.length; i++) (rows[i] as FileRow)[column] = ofColumn[i] as FileValue
    }
    return rows
  }

  /** Reads one column of a row group. @throws Error if the bytes of the column are damaged */
  async readColumn(index: number, column: string): Promise<FileValue[]> {
    const [values] = await this.readColumns(index, [column])
    return values as FileValue[]
  }

  private async readColumns(index: number, columns: readonly string[]): Promise<FileValue[][]> {
    const rows = this.groups[index]
    if (rows === undefined) throw new RangeError(`The Parquet file has no row group ${index}.`)
    const wanted = new Set(columns)
    const chunks = (this.chunks[index] ?? []).filter(({ column }) => wanted.has(column))
    const loaded = await Promise.all(
      coalesce(chunks).map(async (range) => ({
        ...range,
        bytes: await readExactly(this.source, range.start, range.end),
      })),
    )
    return columns.map((column) => {
      const ownChunks = chunks.filter((chunk) => chunk.column === column)
      if (ownChunks.length === 0) return new Array<FileValue>(rows).fill(null)
      const bytes = ownChunks.map((chunk) => bytesOfChunk(loaded, chunk, index))
      const values = decodeColumn(
        bytes,
        ownChunks.map(({ metadata }) => metadata),
        this.tree,
      )
      if (values.length !== rows)
        throw new Error(`The column ${column} of row group ${index} has ${values.length} instead of ${rows} values.`)
      return values
    })
  }
}

function bytesOfChunk(loaded: LoadedRange[], { column, start, end, checksum }: Chunk, index: number): Uint8Array {
  const range = loaded.find((one) => one.start <= start && end <= one.end)
  const bytes = range?.bytes.subarray(start - range.start, end - range.start)
  if (!bytes || crc32(bytes) !== checksum)
    throw new Error(`The column ${column} of row group ${index} does not match its checksum.`)
  return bytes
}

/** Opens a file with one read of its end, or two if its metadata are long. @throws Error if the file is damaged */
export async function openParquet(source: ByteSource): Promise<ParquetFile> {
  return new ParquetFile(source, await readMetadata(source))
}

import { zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { FileRow } from './columns.ts'

/** Content of a file that can be read in parts. `end` is exclusive. */
export type ByteSource = { size: number; read(start: number, end: number): Promise<Uint8Array> }

/** Size of the first read, which contains the metadata of a full file of flows. */
export const tailBytes = 81_920

const options = {
  compressors: {
    ZSTD: (bytes: Uint8Array, size: number) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
  },
  parsers: {
    // A Date has no microseconds.
    timestampFromMicroseconds: Number as unknown as (micros: bigint) => Date,
    // The decoder of the library removes leading byte order marks.
    stringFromBytes: (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  },
}

/** Open Parquet file with log entries. */
export class ParquetFile {
  /** Number of rows in each row group. */
  readonly groups: number[]
  private readonly file: AsyncBuffer
  private readonly metadata: FileMetaData

  constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.file = file
    this.metadata = metadata
    this.groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
  }

  /** Reads the rows of a row group with the given columns, or with all. @throws Error if the file is damaged */
  async readGroup(index: number, columns?: readonly string[]): Promise<FileRow[]> {
    const { file, metadata, groups } = this
    const rowStart = groups.slice(0, index).reduce((sum, rows) => sum + rows, 0)
    const rowEnd = rowStart + (groups[index] ?? 0)
    return parquetReadObjects({ ...options, file, metadata, rowStart, rowEnd, columns: columns && [...columns] })
  }
}

/** Opens a file with one read of its end, or two if its metadata are long. @throws Error if the file is damaged */
export async function openParquet({ size, read }: ByteSource): Promise<ParquetFile> {
  const file: AsyncBuffer = {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = await read(start, end)
      return Uint8Array.from(bytes).buffer
    },
  }
  return new ParquetFile(
    file,
    await parquetMetadataAsync(file, { ...options, initialFetchSize: tailBytes, geoparquet: false }),
  )
}

import { crc32 } from 'node:zlib'
import { ByteWriter } from 'hyparquet-writer'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import type { LogStream } from '../entries/log-id.ts'
import { fileSchema, leafValues, type WriterMetadata } from './column-leaves.ts'
import type { FileRow } from './columns.ts'
import { encodeChunk } from './encode-chunk.ts'

/** Number of rows of a row group, except for the last one of a file (R4). */
export const groupRows = 8_192
/** Maximum number of rows of a file (R4). */
export const fileRows = 131_072

/** First and last bytes of a Parquet file. */
export const parquetMagic = Buffer.from('PAR1')
/** Key of the CRC-32 of each column chunk in the metadata of a file, as base64 of little-endian integers. */
export const checksumsKey = 'crc32'

/**
 * Writes a Parquet file of log entries. Encodes a row group as soon as it is complete, so that at most one row group is in memory as rows.
 * Four bytes before the metadata contain their CRC-32, because Parquet itself has none.
 */
export class ParquetWriter {
  private readonly out = new ByteWriter(1 << 20)
  private readonly layout: ReturnType<typeof fileSchema>
  private readonly groups: WriterMetadata['row_groups'] = []
  private readonly checksums: number[] = []
  private pending: FileRow[] = []
  private written = 0

  constructor(stream: LogStream) {
    this.layout = fileSchema(stream)
    this.out.appendBytes(parquetMagic)
  }

  /** Number of rows that were added. */
  get rows(): number {
    return this.written + this.pending.length
  }

  /** Adds a row. Rows are written in the order in which they are added. */
  add(row: FileRow): void {
    this.pending.push(row)
    if (this.pending.length === groupRows) this.endGroup()
  }

  /** Completes the file and returns its content. */
  finish(): Buffer {
    if (this.pending.length > 0) this.endGroup()
    const footer = new ByteWriter()
    writeMetadata(footer, {
      version: 2,
      created_by: 'hyparquet',
      schema: this.layout.schema,
      num_rows: BigInt(this.written),
      row_groups: this.groups,
      key_value_metadata: [
        { key: checksumsKey, value: Buffer.from(Uint32Array.from(this.checksums).buffer).toString('base64') },
      ],
      metadata_length: 0,
    })
    const bytes = footer.getBytes()
    this.out.appendUint32(crc32(bytes))
    this.out.appendBytes(bytes)
    this.out.appendBytes(parquetMagic)
    const file = this.out.getBytes()
    return Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  }

  private endGroup(): void {
    const { out, pending } = this
    const start = out.offset
    const columns = this.layout.leaves.map((leaf) => {
      const chunkStart = out.offset
      const chunk = encodeChunk(out, leaf, leafValues(leaf, pending))
      this.checksums.push(crc32(out.getBytes().subarray(chunkStart)))
      return chunk
    })
    const sizes = columns.map(({ meta_data }) => meta_data?.total_uncompressed_size ?? 0n)
    this.groups.push({
      columns,
      total_byte_size: sizes.reduce((sum, size) => sum + size, 0n),
      num_rows: BigInt(pending.length),
      total_compressed_size: BigInt(out.offset - start),
    })
    this.written += pending.length
    this.pending = []
  }
}

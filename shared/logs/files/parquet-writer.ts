import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { LogStream } from '../entries/log-id.ts'
import { type FileRow, logColumns } from './columns.ts'
import { fileSchema } from './file-schema.ts'

/** Number of rows of a row group, except for the last one of a file (R4). */
export const groupRows = 8_192
/** Maximum number of rows of a file (R4). */
export const fileLimits = { rows: 131_072 }

/** A decoder then refuses damaged data, because Parquet itself has no checksum. */
const compression = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/** Encodes log entries as a Parquet file, in their order (R4). @throws Error if a required column is null */
export function encodeFile(stream: LogStream, rows: FileRow[]): Buffer {
  const writer = new ByteWriter(1 << 20)
  const file = new ParquetWriter({
    writer,
    schema: fileSchema(stream) as ConstructorParameters<typeof ParquetWriter>[0]['schema'],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, compression) },
  })
  for (let start = 0; start < rows.length; start += groupRows) {
    const group = rows.slice(start, start + groupRows)
    file.write({
      columnData: Object.keys(logColumns[stream]).map((name) => ({
        name,
        data: group.map((row) => row[name] ?? undefined),
        offsetIndex: false,
      })),
      rowGroupSize: groupRows,
    })
  }
  file.finish()
  return Buffer.from(writer.getBuffer())
}

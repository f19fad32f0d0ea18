import { constants, zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { LogStream } from '../entries/log-id.ts'
import { type ColumnType, type FileRow, groupRows, logColumns, requiredColumns, type ScalarType } from './columns.ts'

const physical: Record<ScalarType, Omit<SchemaElement, 'name'>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  bigint: { type: 'INT64' },
  int: { type: 'INT32' },
  double: { type: 'DOUBLE' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
}

/** Returns the elements of a column, or of an item or a field in it, in the order of a Parquet schema. */
function elementsOf(name: string, type: ColumnType | Readonly<Record<string, ScalarType>>): SchemaElement[] {
  const repetition_type = requiredColumns.has(name) ? 'REQUIRED' : 'OPTIONAL'
  if (typeof type === 'string') return [{ name, repetition_type, ...physical[type] }]
  if (Array.isArray(type)) {
    const list = { converted_type: 'LIST', logical_type: { type: 'LIST' } } as const
    const items: SchemaElement = { name: 'list', repetition_type: 'REPEATED', num_children: 1 }
    return [{ name, repetition_type, num_children: 1, ...list }, items, ...elementsOf('element', type[0])]
  }
  const fields = Object.entries(type)
  return [
    { name, repetition_type, num_children: fields.length },
    ...fields.flatMap(([field, fieldType]) => elementsOf(field, fieldType)),
  ]
}

/** Returns the Parquet schema of a stream (R5). */
function fileSchema(stream: LogStream): SchemaElement[] {
  const columns = Object.entries(logColumns[stream])
  const root: SchemaElement = { name: 'schema', num_children: columns.length }
  return [root, ...columns.flatMap(([name, type]) => elementsOf(name, type))]
}

/** Adds the checksum of zstd, because the library writes none of Parquet. Readers then refuse damaged values. */
const compression = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/** Encodes log entries as a Parquet file, in their order (R4). @throws Error if a required column is null */
export function encodeFile(stream: LogStream, rows: FileRow[]): Buffer {
  const file = parquetWriteBuffer({
    columnData: Object.keys(logColumns[stream]).map((name) => ({
      name,
      data: rows.map((row) => row[name] ?? undefined),
      offsetIndex: false,
    })),
    schema: fileSchema(stream) as Parameters<typeof parquetWriteBuffer>[0]['schema'],
    rowGroupSize: groupRows,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, compression) },
  })
  return Buffer.from(file)
}

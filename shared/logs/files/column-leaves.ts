import type { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import type { LogStream } from '../entries/log-id.ts'
import {
  type ColumnType,
  type FileRow,
  type FileScalar,
  logColumns,
  requiredColumns,
  type ScalarType,
} from './columns.ts'

/** Types of the writer, whose version of `hyparquet` differs from that of the reader. */
export type WriterMetadata = Parameters<typeof writeMetadata>[1]
type SchemaElement = WriterMetadata['schema'][number]

/** Column as Parquet stores it. A list of structs has one leaf per field of the struct. */
export type ColumnLeaf = {
  column: string
  path: string[]
  type: ScalarType
  element: SchemaElement
  /** Definition level of a value that is not null. */
  maxDefinition: number
  isList: boolean
}

const physical: Record<ScalarType, Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>> = {
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

const scalar = (name: string, type: ScalarType, isRequired = false): SchemaElement => ({
  name,
  repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
  ...physical[type],
})

type ColumnLayout = { elements: SchemaElement[]; leaves: ColumnLeaf[] }

function layoutOf(column: string, type: ColumnType): ColumnLayout {
  if (typeof type === 'string') {
    const isRequired = requiredColumns.has(column)
    const element = scalar(column, type, isRequired)
    const maxDefinition = isRequired ? 0 : 1
    return { elements: [element], leaves: [{ column, path: [column], type, element, maxDefinition, isList: false }] }
  }
  const [item] = type
  const list: SchemaElement[] = [
    {
      name: column,
      repetition_type: 'OPTIONAL',
      num_children: 1,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ]
  const path = [column, 'list', 'element']
  if (typeof item === 'string') {
    const element = scalar('element', item)
    return {
      elements: [...list, element],
      leaves: [{ column, path, type: item, element, maxDefinition: 3, isList: true }],
    }
  }
  const leaves = Object.entries(item).map(([field, fieldType]) => ({
    column,
    path: [...path, field],
    type: fieldType,
    element: scalar(field, fieldType),
    maxDefinition: 4,
    isList: true,
  }))
  const struct: SchemaElement = { name: 'element', repetition_type: 'OPTIONAL', num_children: leaves.length }
  return { elements: [...list, struct, ...leaves.map(({ element }) => element)], leaves }
}

/** Returns the Parquet schema of a stream, and the leaves in the order of their chunks. */
export function fileSchema(stream: LogStream): { schema: SchemaElement[]; leaves: ColumnLeaf[] } {
  const columns = Object.entries(logColumns[stream]).map(([name, type]) => layoutOf(name, type))
  const root: SchemaElement = { name: 'schema', num_children: columns.length }
  return {
    schema: [root, ...columns.flatMap(({ elements }) => elements)],
    leaves: columns.flatMap(({ leaves }) => leaves),
  }
}

/** Values of a leaf that are not null, and the levels that locate them in the rows (Dremel encoding). */
export type LeafValues = { values: FileScalar[]; definitions: number[]; repetitions: number[] }

/** Extracts the values of a leaf. @throws Error if a required column is null */
export function leafValues(leaf: ColumnLeaf, rows: FileRow[]): LeafValues {
  return leaf.isList ? listValues(leaf, rows) : scalarValues(leaf, rows)
}

function scalarValues({ column, maxDefinition }: ColumnLeaf, rows: FileRow[]): LeafValues {
  const values: FileScalar[] = []
  const definitions: number[] = new Array(rows.length).fill(1)
  for (let i = 0; i < rows.length; i++) {
    const value = (rows[i] as FileRow)[column] as FileScalar | undefined
    if (value !== null && value !== undefined) values.push(value)
    else if (maxDefinition > 0) definitions[i] = 0
    else throw new Error(`The column ${column} is null in a row.`)
  }
  return { values, definitions, repetitions: [] }
}

function listValues({ column, path, maxDefinition }: ColumnLeaf, rows: FileRow[]): LeafValues {
  const values: FileScalar[] = []
  const definitions: number[] = []
  const repetitions: number[] = []
  const field = path[3]
  for (let i = 0; i < rows.length; i++) {
    const items = (rows[i] as FileRow)[column] as FileScalar[] | Record<string, FileScalar>[] | null | undefined
    if (!items?.length) {
      definitions.push(items ? 1 : 0)
      repetitions.push(0)
      continue
    }
    for (let n = 0; n < items.length; n++) {
      const item = items[n]
      const value = field === undefined ? (item as FileScalar) : (item as Record<string, FileScalar>)[field]
      const isNull = value === null || value === undefined
      if (!isNull) values.push(value)
      definitions.push(isNull ? maxDefinition - 1 : maxDefinition)
      repetitions.push(n === 0 ? 0 : 1)
    }
  }
  return { values, definitions, repetitions }
}

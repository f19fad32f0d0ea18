import { zstdDecompressSync } from 'node:zlib'
import type { ColumnMetaData, DecodedArray, PageHeader, SchemaElement, SchemaTree } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage, readDataPage } from 'hyparquet/src/datapage.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { getMaxDefinitionLevel, getTreePath } from 'hyparquet/src/schema.js'
import type { FileScalar, FileValue } from './columns.ts'

const compressors = {
  ZSTD: (bytes: Uint8Array, size: number) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
}

/** Converts 64-bit integers to numbers like `Number`, but without a bigint per value. */
function microsOfIntegers(integers: BigInt64Array): number[] {
  const halves = new Uint32Array(integers.buffer, integers.byteOffset, integers.length * 2)
  const micros: number[] = []
  for (let i = 0; i < halves.length; i += 2)
    micros.push(((halves[i + 1] as number) | 0) * 2 ** 32 + (halves[i] as number))
  return micros
}

function scalarsOf(plain: DecodedArray, { type, converted_type }: SchemaElement): FileScalar[] {
  if (plain.length === 0) return []
  if (converted_type === 'TIMESTAMP_MICROS') return microsOfIntegers(plain as BigInt64Array)
  if (type !== 'BYTE_ARRAY') return Array.from(plain as ArrayLike<FileScalar>)
  return (plain as Uint8Array[]).map((bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  )
}

function lookUp(dictionary: FileScalar[], indexes: DecodedArray): FileScalar[] {
  const values: FileScalar[] = []
  for (let i = 0; i < indexes.length; i++) values.push(dictionary[indexes[i] as number] as FileScalar)
  return values
}

/** Values of a leaf that are not null, with their levels. Without definition levels, no value is null. */
type DecodedLeaf = {
  path: string[]
  values: FileScalar[]
  definitions: number[]
  repetitions: number[]
  maxDefinition: number
}

/** Decodes a chunk with an optional dictionary and one data page, as `encodeChunk` writes it. */
function decodeLeaf(chunk: Uint8Array, { type, codec, path_in_schema }: ColumnMetaData, tree: SchemaTree): DecodedLeaf {
  const schemaPath = getTreePath(tree, path_in_schema)
  const { element } = schemaPath.at(-1) as SchemaTree
  const reader = { view: new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength), offset: 0 }
  const nextPage = (): { header: PageHeader; bytes: Uint8Array } => {
    const header = parquetHeader(reader)
    const { compressed_page_size, uncompressed_page_size } = header
    const end = reader.offset + compressed_page_size
    const bytes = decompressPage(chunk.subarray(reader.offset, end), uncompressed_page_size, codec, compressors)
    reader.offset = end
    return { header, bytes }
  }
  let page = nextPage()
  let dictionary: FileScalar[] | null = null
  if (page.header.dictionary_page_header) {
    const { bytes, header } = page
    const plain = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
    const count = header.dictionary_page_header?.num_values ?? 0
    dictionary = scalarsOf(readPlain(plain, type, count, undefined), element)
    page = nextPage()
  }
  const { data_page_header } = page.header
  if (!data_page_header) throw new Error('A column has no data page of version 1.')
  const decoder = { type, element, schemaPath } as unknown as Parameters<typeof readDataPage>[2]
  const { dataPage, definitionLevels, repetitionLevels } = readDataPage(page.bytes, data_page_header, decoder)
  const values = dictionary ? lookUp(dictionary, dataPage) : scalarsOf(dataPage, element)
  return {
    path: path_in_schema,
    values,
    definitions: definitionLevels ?? [],
    repetitions: repetitionLevels,
    maxDefinition: getMaxDefinitionLevel(schemaPath),
  }
}

function scalarColumn({ values, definitions }: DecodedLeaf): FileValue[] {
  if (definitions.length === 0) return values
  let next = 0
  return definitions.map((definition) => (definition === 0 ? null : (values[next++] as FileScalar)))
}

type Struct = Record<string, FileScalar>

/** Assembles lists from their leaves. The definition level is 0 for a null list, 1 for an empty list, and more for an item. */
function listColumn(leaves: DecodedLeaf[]): FileValue[] {
  const lists: (FileScalar[] | Struct[] | null)[] = []
  for (const [n, { path, values, definitions, repetitions, maxDefinition }] of leaves.entries()) {
    const field = path[3]
    let [row, item, next] = [-1, 0, 0]
    for (let i = 0; i < repetitions.length; i++) {
      const definition = definitions.length === 0 ? maxDefinition : (definitions[i] as number)
      if (repetitions[i] === 0) {
        row++
        item = 0
        if (n === 0) lists.push(definition === 0 ? null : [])
      }
      if (definition < 2) continue
      const value = definition === maxDefinition ? (values[next++] as FileScalar) : null
      const list = lists[row]
      if (field === undefined) (list as FileScalar[]).push(value)
      else if (n === 0) (list as Struct[]).push({ [field]: value })
      else ((list as Struct[])[item] as Struct)[field] = value
      item++
    }
  }
  return lists
}

/** Decodes the chunks of a column in a row group to one value per row. */
export function decodeColumn(chunks: Uint8Array[], metadata: ColumnMetaData[], tree: SchemaTree): FileValue[] {
  const leaves = chunks.map((chunk, i) => decodeLeaf(chunk, metadata[i] as ColumnMetaData, tree))
  const [first] = leaves
  if (!first) throw new Error('A column has no chunk.')
  return first.path.length === 1 ? scalarColumn(first) : listColumn(leaves)
}

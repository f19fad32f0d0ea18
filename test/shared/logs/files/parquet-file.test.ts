import fc from 'fast-check'
import { parquetMetadata } from 'hyparquet'
import { expect, it } from 'vitest'
import { logStreams } from '#shared/logs/entries/log-id.ts'
import { type FileRow, logColumns, requiredColumns } from '#shared/logs/files/columns.ts'
import { fileRows, groupRows, ParquetWriter } from '#shared/logs/files/parquet-writer.ts'
import { openBuffer, readRows, writeRows } from '#test/support/logs/parquet-files.ts'
import { realisticFlows } from '#test/support/logs/realistic-flows.ts'

const flows = realisticFlows(2 * groupRows + 100)
const flowFile = writeRows('flow', flows)
const filled = (row: FileRow | undefined): FileRow => ({ ...row, erased_at: null, erased_leaf: null })

/** Counts the reads of `work`, and the bytes that they return. */
async function readsOf(file: Buffer, work: (opened: Awaited<ReturnType<typeof openBuffer>>) => Promise<unknown>) {
  const sizes: number[] = []
  const opened = await openBuffer(file, (start, end) => sizes.push(end - start))
  const opening = sizes.splice(0)
  const result = await work(opened)
  return { opening, sizes, result }
}

it('opens a file with one read, and reads a row group with one more', async () => {
  const { opening, sizes, result } = await readsOf(flowFile, (file) => file.readGroup(1))
  expect(opening).toEqual([65_536])
  expect(sizes).toHaveLength(1)
  expect((result as FileRow[])[7]).toEqual(filled(flows[groupRows + 7]))
})

it('opens a file with two reads if its metadata are longer than the first one', async () => {
  const rows = Array.from({ length: 24 * groupRows + 1 }, (_, i) => flows[i % 50] as FileRow)
  const { opening, result } = await readsOf(writeRows('flow', rows), (file) => file.readGroup(24))
  expect(opening).toHaveLength(2)
  expect(result).toEqual([filled(flows[(24 * groupRows) % 50])])
})

it('reads neighbouring columns together, and only the bytes of distant ones', async () => {
  const near = await readsOf(flowFile, (file) => file.readGroup(0, ['resource_id', 'log_id', 'resource_name']))
  expect(near.result).toHaveLength(groupRows)
  expect((near.result as FileRow[])[3]).toEqual({
    resource_id: flows[3]?.resource_id,
    log_id: flows[3]?.log_id,
    resource_name: flows[3]?.resource_name,
  })
  expect(near.sizes).toHaveLength(2)
  const one = await readsOf(flowFile, (file) => file.readColumn(2, 'log_id'))
  expect(one.result).toEqual(flows.slice(2 * groupRows).map(({ log_id }) => log_id))
  expect(one.sizes).toHaveLength(1)
  expect(one.sizes[0]).toBeLessThan(4_000)
})

it('returns null for a column that a file of an earlier version does not have', async () => {
  const { result } = await readsOf(flowFile, (file) => file.readGroup(2, ['log_id', 'later']))
  expect((result as FileRow[])[0]).toEqual({ log_id: flows[2 * groupRows]?.log_id, later: null })
  expect((await readsOf(flowFile, (file) => file.readColumn(2, 'later'))).result).toEqual(new Array(100).fill(null))
})

it('refuses a row group that the file does not have', async () => {
  await expect((await openBuffer(flowFile)).readGroup(3)).rejects.toThrow('no row group 3')
})

it('counts the rows that were added', () => {
  const writer = new ParquetWriter('flow')
  for (const row of flows) writer.add(row)
  expect(writer.rows).toBe(flows.length)
})

it('a file without rows can be opened', async () => {
  expect((await openBuffer(writeRows('session', []))).groups).toEqual([])
})

it.each([
  [{ log_id: null }, 'log_id is null'],
  [{ timestamp: undefined }, 'timestamp is null'],
  [{ rx_bytes: 2n ** 63n }, 'does not fit'],
  [{ inner_src_port: 2 ** 31 }, 'does not fit'],
])('refuses a row with %o', (fields, message) => {
  expect(() => writeRows('flow', [{ ...(flows[0] as FileRow), ...fields }])).toThrow(message)
})

it.each(logStreams)('all columns of the stream %s are nullable except for two', (stream) => {
  const { schema } = parquetMetadata(writeRows(stream, []))
  const required = schema.slice(1).filter(({ repetition_type }) => repetition_type === 'REQUIRED')
  expect(required.map(({ name }) => name)).toEqual([...requiredColumns])
  const root = schema[0]
  expect(root?.num_children).toBe(Object.keys(logColumns[stream]).length)
})

it('all columns have statistics and zstd, and none has a Bloom filter', () => {
  const chunks = parquetMetadata(flowFile).row_groups.flatMap(({ columns }) => columns)
  expect(chunks.length).toBeGreaterThan(100)
  for (const { meta_data } of chunks) {
    const { statistics, path_in_schema, codec, bloom_filter_offset } = meta_data ?? {}
    const isEmpty = statistics?.null_count === meta_data?.num_values
    expect(statistics?.min_value === undefined, path_in_schema?.join('.')).toBe(isEmpty)
    expect(statistics?.max_value === undefined).toBe(isEmpty)
    expect(codec).toBe('ZSTD')
    expect(bloom_filter_offset).toBeUndefined()
  }
})

it('the statistics of strings are in the order of their UTF-8 bytes', () => {
  const texts = ['\u{10000}', '\uffff', 'a', `${'b'.repeat(11)}éé`]
  const rows = texts.map((role) => ({ ...(flows[0] as FileRow), role }))
  const [group] = parquetMetadata(writeRows('flow', rows)).row_groups
  const chunk = group?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === 'role')
  expect(chunk?.meta_data?.statistics).toMatchObject({ min_value: 'a', max_value: '\u{10000}' })
  const [long] = parquetMetadata(writeRows('flow', rows.slice(3))).row_groups
  const longChunk = long?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === 'role')
  expect(longChunk?.meta_data?.statistics).toMatchObject({
    min_value: 'b'.repeat(11),
    is_min_value_exact: false,
    max_value: `${'b'.repeat(10)}c`,
    is_max_value_exact: false,
  })
})

it('a realistic flow takes at most 85 bytes in a full file (R14), which one read opens', async () => {
  const file = writeRows('flow', realisticFlows(fileRows))
  expect(file.length / fileRows).toBeLessThan(85)
  const { opening, result } = await readsOf(file, async ({ groups }) => groups)
  expect(result).toEqual(new Array(fileRows / groupRows).fill(groupRows))
  expect(opening).toHaveLength(1)
})

const small = flows.slice(0, 300)
const smallFile = writeRows('flow', small)

it('a truncated file is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: smallFile.length - 1 }), async (length) => {
      await expect(readRows(smallFile.subarray(0, length))).rejects.toThrow(Error)
    }),
  )
})

it('a file with a changed byte is refused, or its rows are equal', async () => {
  const rows = small.map(filled)
  let refused = 0
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: smallFile.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const damaged = Buffer.from(smallFile)
      damaged[at] = (damaged[at] as number) ^ change
      const read = await readRows(damaged).catch((error: Error) => error)
      if (read instanceof Error) refused++
      else expect(read).toEqual(rows)
    }),
  )
  expect(refused).toBeGreaterThan(50)
})

it.each([
  ['the first bytes of a column', 4, 'log_id of row group 0 does not match its checksum'],
  ['the metadata', smallFile.length - 100, 'do not match their checksum'],
  ['the last byte', smallFile.length - 1, 'does not end with PAR1'],
  ['the length of the metadata', smallFile.length - 5, 'longer than the file'],
])('names what is damaged: %s', async (_, at, message) => {
  const damaged = Buffer.from(smallFile)
  damaged[at] = (damaged[at] as number) ^ 0xff
  await expect(readRows(damaged)).rejects.toThrow(message)
})

it('a source that returns too few bytes is refused', async () => {
  const { openParquet } = await import('#shared/logs/files/parquet-reader.ts')
  const source = { size: smallFile.length, read: async () => smallFile.subarray(0, 10) }
  await expect(openParquet(source)).rejects.toThrow('The source returned 10 instead of')
})

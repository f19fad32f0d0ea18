import fc from 'fast-check'
import { parquetMetadata } from 'hyparquet'
import { expect, it } from 'vitest'
import { logStreams } from '#shared/logs/entries/log-id.ts'
import { type FileRow, fileLimits, groupRows, logColumns, requiredColumns } from '#shared/logs/files/columns.ts'
import { tailBytes } from '#shared/logs/files/parquet-reader.ts'
import { encodeFile } from '#shared/logs/files/parquet-writer.ts'
import { openBuffer, readRows } from '#test/support/logs/parquet-files.ts'
import { realisticFlows } from '#test/support/logs/realistic-flows.ts'

const flows = realisticFlows(2 * groupRows + 100)
const flowFile = encodeFile('flow', flows)
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
  expect(opening).toEqual([tailBytes])
  expect(sizes).toHaveLength(1)
  expect((result as FileRow[])[7]).toEqual(filled(flows[groupRows + 7]))
})

it('opens a file with two reads if its metadata are longer than the first one', async () => {
  const rows = Array.from({ length: 24 * groupRows + 1 }, (_, i) => flows[i % 50] as FileRow)
  const { opening, result } = await readsOf(encodeFile('flow', rows), (file) => file.readGroup(24))
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
  const one = await readsOf(flowFile, (file) => file.readGroup(2, ['log_id']))
  expect(one.result).toEqual(flows.slice(2 * groupRows).map(({ log_id }) => ({ log_id })))
  expect(one.sizes).toHaveLength(1)
  expect(one.sizes[0]).toBeLessThan(4_000)
})

it('a file without rows can be opened', async () => {
  expect((await openBuffer(encodeFile('session', []))).groups).toEqual([])
})

it.each([
  [{ log_id: null }, 'got undefined'],
  [{ timestamp: undefined }, 'got undefined'],
  [{ rx_bytes: 2n ** 63n }, 'out of range'],
])('refuses a row with %o', (fields, message) => {
  expect(() => encodeFile('flow', [{ ...(flows[0] as FileRow), ...fields }])).toThrow(message)
})

it.each(logStreams)('all columns of the stream %s are nullable except for two', (stream) => {
  const { schema } = parquetMetadata(encodeFile(stream, []))
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
  const texts = ['\u{10000}', '\uffff', 'a']
  const rows = texts.map((role) => ({ ...(flows[0] as FileRow), role }))
  const [group] = parquetMetadata(encodeFile('flow', rows)).row_groups
  const chunk = group?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === 'role')
  expect(chunk?.meta_data?.statistics).toMatchObject({ min_value: 'a', max_value: '\u{10000}' })
})

it('a realistic flow takes at most 85 bytes in a full file (R14), which one read opens', async () => {
  const file = encodeFile('flow', realisticFlows(fileLimits.rows))
  expect(file.length / fileLimits.rows).toBeLessThan(85)
  const { opening, result } = await readsOf(file, async ({ groups }) => groups)
  expect(result).toEqual(new Array(fileLimits.rows / groupRows).fill(groupRows))
  expect(opening).toHaveLength(1)
})

const small = flows.slice(0, 300)
const smallFile = encodeFile('flow', small)

it('a truncated file is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: smallFile.length - 1 }), async (length) => {
      await expect(readRows(smallFile.subarray(0, length))).rejects.toThrow(Error)
    }),
  )
})

it('a file with changed values of a column is refused', async () => {
  const chunks = parquetMetadata(smallFile).row_groups.flatMap(({ columns }) => columns)
  for (const { meta_data } of chunks) {
    if (!meta_data || meta_data.statistics?.null_count === meta_data.num_values) continue
    const start = Number(meta_data.dictionary_page_offset ?? meta_data.data_page_offset)
    const damaged = Buffer.from(smallFile)
    // The last bytes of a column are values, and not the header of a page.
    const at = start + Number(meta_data.total_compressed_size) - 5
    damaged[at] = (damaged[at] as number) ^ 1
    await expect(readRows(damaged), meta_data.path_in_schema.join('.')).rejects.toThrow()
  }
})

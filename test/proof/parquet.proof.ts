import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import {
  DuckDBInstance,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { type LogStream, logStreams } from '../../shared/logs/entries/log-id.ts'
import { type FileRow, groupRows, logColumns } from '../../shared/logs/files/columns.ts'
import { entryRow } from '../../shared/logs/files/entry-rows.ts'
import { encodeFile } from '../../shared/logs/files/parquet-writer.ts'
import { arbitraryEntries } from '../support/logs/arbitrary-entries.ts'
import { realisticFlows } from '../support/logs/realistic-flows.ts'
import { hasModule, python } from './python.ts'

const directory = await mkdtemp(join(tmpdir(), 'parquet-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

const run = promisify(execFile)
const hasPyarrow = hasModule('pyarrow', 'it does not read the Parquet files.')

const connection = await (await DuckDBInstance.create()).connect()

/** Writes more than one row group with entries of a stream, of which some are erased. */
async function writeSample(stream: LogStream) {
  const few = fc.sample(arbitraryEntries[stream], 300)
  const rows = Array.from({ length: groupRows + 500 }, (_, i): FileRow => {
    const row = entryRow(few[i % few.length] as (typeof few)[number])
    return i % 9 ? row : { ...row, erased_at: 1_764_000_000_000_000 + i, erased_leaf: `leaf ${i}` }
  })
  const path = join(directory, `${stream}.parquet`)
  await writeFile(path, encodeFile(stream, rows))
  return { path, rows }
}

/** Integers and times as decimal texts, because JSON has no 64-bit integers. Doubles are numbers. */
function comparable(stream: LogStream, row: FileRow): Record<string, unknown> {
  const plain = (value: unknown, type: unknown): unknown => {
    if (value === null || value === undefined) return null
    if (Array.isArray(value)) return value.map((item) => plain(item, (type as unknown[])[0]))
    if (typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value).map(([name, field]) => [name, plain(field, (type as Record<string, unknown>)[name])]),
      )
    return type === 'string' || type === 'double' ? value : BigInt(value as number).toString()
  }
  return Object.fromEntries(Object.entries(logColumns[stream]).map(([name, type]) => [name, plain(row[name], type)]))
}

/** Removes leading byte order marks from texts, because the binding of DuckDB decodes texts without them. */
const withoutMarks = (rows: Record<string, unknown>[]): Record<string, unknown>[] =>
  JSON.parse(JSON.stringify(rows, (_, value) => (typeof value === 'string' ? value.replace(/^\ufeff/, '') : value)))

function expectEqualRows(read: Record<string, unknown>[], expected: Record<string, unknown>[]): void {
  expect(read).toHaveLength(expected.length)
  // Prints only the first difference, because comparing thousands of rows for a message takes long.
  const isEqual = isDeepStrictEqual(read, expected)
  const different = isEqual ? 0 : read.findIndex((row, i) => !isDeepStrictEqual(row, expected[i]))
  expect(read[different]).toEqual(expected[different])
  expect(isEqual).toBe(true)
}

function plainOfDuckDb(value: DuckDBValue): unknown {
  if (value instanceof DuckDBListValue) return value.items.map(plainOfDuckDb)
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, field]) => [name, plainOfDuckDb(field)]))
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  return value
}

it.each(logStreams)('DuckDB reads equal rows of the stream %s', async (stream) => {
  const { path, rows } = await writeSample(stream)
  const result = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`)
  const read = result.getRowObjects().map((row) => {
    const plain = Object.entries(row).map(([name, value]) => [name, plainOfDuckDb(value)])
    return comparable(stream, Object.fromEntries(plain))
  })
  expect(result.columnNames()).toEqual(Object.keys(logColumns[stream]))
  const expected = rows.map((row) => comparable(stream, row))
  expectEqualRows(read, withoutMarks(expected))
})

it('DuckDB answers the query of R10 from a partitioned folder', async () => {
  const day = 86_400_000
  const today = Math.floor(Date.now() / day)
  // The day 0 was a Thursday.
  const lastMonday = today - ((today + 3) % 7) - 7
  const sample = realisticFlows(groupRows + 1_000)
  const shift = lastMonday * day * 1_000 - (sample[0]?.flow_start as number)
  const flows = sample.map((row): FileRow => ({ ...row, flow_start: (row.flow_start as number) + shift }))
  const folder = join(directory, 'archive/v1/flow/account=0190a000-0000-7000-8000-000000000001')
  const hours = [flows.slice(0, groupRows), flows.slice(groupRows)]
  for (const [i, rows] of hours.entries()) {
    const date = new Date((lastMonday + i) * day).toISOString().slice(0, 10)
    await mkdir(join(folder, `day=${date}`), { recursive: true })
    const name = `flow-${date.replaceAll('-', '')}T09-0.parquet`
    await writeFile(join(folder, `day=${date}`, name), encodeFile('flow', rows))
  }
  await connection.run("SET TimeZone = 'UTC'")
  const result = await connection.runAndReadAll(`
    SELECT initiator_actor_email, resource_name, count(*) AS flows, sum(rx_bytes + tx_bytes) AS bytes
    FROM read_parquet('${directory}/archive/v1/flow/**/*.parquet', hive_partitioning = true)
    WHERE role = 'responder'
      AND day >= date_trunc('week', current_date) - INTERVAL 7 DAY
      AND flow_start >= date_trunc('week', current_date) - INTERVAL 7 DAY
      AND flow_start < date_trunc('week', current_date)
    GROUP BY ALL ORDER BY bytes DESC LIMIT 10`)
  const totals = new Map<string, { flows: bigint; bytes: bigint }>()
  for (const row of flows) {
    if (row.role !== 'responder') continue
    const key = `${row.initiator_actor_email} ${row.resource_name}`
    const { flows: count, bytes } = totals.get(key) ?? { flows: 0n, bytes: 0n }
    totals.set(key, { flows: count + 1n, bytes: bytes + (row.rx_bytes as bigint) + (row.tx_bytes as bigint) })
  }
  const top = [...totals].sort(([, a], [, b]) => (a.bytes < b.bytes ? 1 : -1)).slice(0, 10)
  expect(
    result
      .getRowObjects()
      .map((row) => [`${row.initiator_actor_email} ${row.resource_name}`, { flows: row.flows, bytes: row.bytes }]),
  ).toEqual(top)
  const parts = await connection.runAndReadAll(`
    SELECT DISTINCT account::VARCHAR AS account, day::VARCHAR AS day
    FROM read_parquet('${directory}/archive/v1/flow/**/*.parquet', hive_partitioning = true)`)
  expect(parts.getRowObjects()).toHaveLength(2)
})

/** Prints the rows of a file as JSON with integers and times as texts, and whether each column has statistics. */
const pythonReader = `
import json, sys
import pyarrow as pa, pyarrow.parquet as pq

def plain_type(t):
    if pa.types.is_timestamp(t):
        assert t.unit == 'us' and t.tz == 'UTC', t
        return pa.int64()
    if pa.types.is_list(t): return pa.list_(plain_type(t.value_type))
    if pa.types.is_struct(t): return pa.struct([pa.field(f.name, plain_type(f.type)) for f in t])
    return t

def texts(v):
    if isinstance(v, list): return [texts(i) for i in v]
    if isinstance(v, dict): return {k: texts(i) for k, i in v.items()}
    return str(v) if isinstance(v, int) else v

file = pq.ParquetFile(sys.argv[1])
metadata = file.metadata
for group in range(metadata.num_row_groups):
    for column in range(metadata.num_columns):
        statistics = metadata.row_group(group).column(column).statistics
        assert statistics.has_null_count
        assert statistics.has_min_max == (statistics.null_count < metadata.row_group(group).column(column).num_values)
table = file.read()
table.validate(full=True)
nullable = [f.name for f in table.schema if not f.nullable]
assert nullable == ['log_id', 'timestamp'], nullable
table = table.cast(pa.schema([pa.field(f.name, plain_type(f.type), f.nullable) for f in table.schema]))
for row in table.to_pylist(): print(json.dumps(texts(row)))
`

it.skipIf(!hasPyarrow).each(logStreams)('pyarrow reads equal rows of the stream %s', async (stream) => {
  const { path, rows } = await writeSample(stream)
  const { stdout } = await run(python, ['-c', pythonReader, path], { maxBuffer: 1 << 30 })
  const read = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(Object.keys(read[0])).toEqual(Object.keys(logColumns[stream]))
  const expected = rows.map((row) => comparable(stream, row))
  expectEqualRows(read, expected)
})

import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { logStreams } from '../../shared/logs/entries/log-id.ts'
import { type ColumnType, logColumns, type ScalarType } from '../../shared/logs/files/columns.ts'
import { entryRow } from '../../shared/logs/files/entry-rows.ts'
import { encodeFile } from '../../shared/logs/files/parquet-writer.ts'
import { arbitraryEntries } from '../support/logs/arbitrary-entries.ts'
import { hasModule, python } from './python.ts'

const directory = await mkdtemp(join(tmpdir(), 'tables-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

const hasSqlglot = hasModule('sqlglot', 'no SQL parser reads the tables of Athena.')

function printTables(engine: string, location: string): string {
  const command = ['infra/commands/archive.ts', 'tables', engine, '--location', location]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

/** Prints the tables that the statements on standard input create, as JSON. */
const pythonParser = `
import json, sys
import sqlglot
from sqlglot import exp

def columns(definitions):
    return [[column.name, column.args['kind'].sql('hive')] for column in definitions]

tables = []
for statement in sqlglot.parse(sys.stdin.read(), read='athena'):
    assert isinstance(statement, exp.Create) and statement.kind == 'TABLE', repr(statement)
    properties = statement.args['properties'].expressions
    found = lambda kind: [item for item in properties if isinstance(item, kind)]
    [partitions], [location], [format] = found(exp.PartitionedByProperty), found(exp.LocationProperty), found(exp.FileFormatProperty)
    tables.append({
        'name': statement.this.this.name,
        'external': len(found(exp.ExternalProperty)) == 1,
        'columns': columns(statement.this.expressions),
        'partitions': columns(partitions.this.expressions),
        'location': location.this.name,
        'format': format.name,
        'properties': {item.name: item.args['value'].name for item in properties if type(item) is exp.Property},
    })
print(json.dumps(tables))
`

const athenaTypes: Record<ScalarType, string> = {
  string: 'STRING',
  bigint: 'BIGINT',
  int: 'INT',
  double: 'DOUBLE',
  timestamp: 'TIMESTAMP',
}
const duckdbTypes: Record<ScalarType, string> = {
  ...athenaTypes,
  string: 'VARCHAR',
  int: 'INTEGER',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
}

it.skipIf(!hasSqlglot)('sqlglot parses the tables of Athena, with the columns of all streams', () => {
  const input = printTables('athena', 'logs-of-a-company')
  const { status, stdout, stderr } = spawnSync(python, ['-c', pythonParser], { input, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const typeOf = (type: ColumnType): string => {
    if (typeof type === 'string') return athenaTypes[type]
    const [element] = type
    if (typeof element === 'string') return `ARRAY<${athenaTypes[element]}>`
    const fields = Object.entries(element).map(([name, field]) => `${name}: ${athenaTypes[field]}`)
    return `ARRAY<STRUCT<${fields.join(', ')}>>`
  }
  const tables = logStreams.map((stream) => ({
    name: stream,
    external: true,
    columns: Object.entries(logColumns[stream]).map(([name, type]) => [name, typeOf(type)]),
    partitions: ['account', 'day'].map((name) => [name, 'STRING']),
    location: `s3://logs-of-a-company/v1/${stream}/`,
    format: 'PARQUET',
    properties: {
      'projection.enabled': 'true',
      'projection.account.type': 'injected',
      'projection.day.type': 'date',
      'projection.day.format': 'yyyy-MM-dd',
      'projection.day.range': '2026-01-01,NOW',
      'storage.location.template': `s3://logs-of-a-company/v1/${stream}/account=\${account}/day=\${day}/`,
    },
  }))
  const byName = (list: { name: string }[]) => list.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(byName(JSON.parse(stdout))).toEqual(byName(tables))
})

it('DuckDB runs the statements for a folder, and its views have the columns and rows of all streams', async () => {
  // Contains a quote, which the statements must escape.
  const folder = join(directory, "auditor's copy")
  for (const stream of logStreams) {
    const partition = join(folder, 'v1', stream, 'account=0190a000-0000-7000-8000-000000000001/day=2026-11-22')
    await mkdir(partition, { recursive: true })
    const rows = fc.sample(arbitraryEntries[stream], 3).map((entry) => entryRow(entry))
    await writeFile(join(partition, `${stream}-20261122T09-0.parquet`), encodeFile(stream, rows))
  }
  const connection = await (await DuckDBInstance.create()).connect()
  await connection.run(printTables('duckdb', folder))
  const typeOf = (type: ColumnType): string => {
    if (typeof type === 'string') return duckdbTypes[type]
    const [element] = type
    if (typeof element === 'string') return `${duckdbTypes[element]}[]`
    return `STRUCT(${Object.entries(element)
      .map(([name, field]) => `${name} ${duckdbTypes[field]}`)
      .join(', ')})[]`
  }
  for (const stream of logStreams) {
    const columns = Object.entries(logColumns[stream]).map(([name, type]) => [name, typeOf(type)])
    const described = await connection.runAndReadAll(`DESCRIBE ${stream}`)
    expect(described.getRows().map(([name, type]) => [name, String(type).replaceAll('"', '')])).toEqual([
      ...columns,
      ['account', 'VARCHAR'],
      ['day', 'DATE'],
    ])
    const count = await connection.runAndReadAll(`SELECT count(*)::INT FROM ${stream} WHERE day = DATE '2026-11-22'`)
    expect(count.getRows()).toEqual([[3]])
  }
})

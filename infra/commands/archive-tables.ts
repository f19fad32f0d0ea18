import { type ColumnType, logColumns, type ScalarType } from '#shared/logs/files/columns.ts'

export const tableEngines = ['athena', 'duckdb'] as const
type TableEngine = (typeof tableEngines)[number]

export const isEngine = (name: string): name is TableEngine => tableEngines.some((engine) => engine === name)

/** Column names that Athena reserves in DDL, which need backticks. */
const reserved = new Set(['timestamp', 'before', 'after', 'object', 'operation'])

/** First day of the partitions, before which no archive exists. */
const firstDay = '2026-01-01'

function athenaType(type: ColumnType): string {
  if (typeof type === 'string') return type
  const [element] = type
  if (typeof element === 'string') return `array<${element}>`
  const fields = Object.entries(element).map(([name, field]: [string, ScalarType]) => `${name}:${field}`)
  return `array<struct<${fields.join(',')}>>`
}

/** Statement that creates the table of a stream in Athena. Partition projection replaces a crawler (R10.1). */
function athenaTable(stream: string, columns: Readonly<Record<string, ColumnType>>, bucket: string): string {
  const lines = Object.entries(columns).map(([name, type]) => {
    const column = reserved.has(name) ? `\`${name}\`` : name
    return `  ${column} ${athenaType(type)}`
  })
  const location = `s3://${bucket}/v1/${stream}/`
  return `CREATE EXTERNAL TABLE ${stream} (
${lines.join(',\n')})
PARTITIONED BY (account string, day string)
STORED AS PARQUET
LOCATION '${location}'
TBLPROPERTIES ('projection.enabled'='true', 'projection.account.type'='injected',
  'projection.day.type'='date', 'projection.day.format'='yyyy-MM-dd', 'projection.day.range'='${firstDay},NOW',
  'storage.location.template'='${location}account=\${account}/day=\${day}/');
`
}

/** Statement that creates the view of a stream in DuckDB, over a folder or a bucket (R10.2). */
const duckdbView = (stream: string, location: string): string =>
  `CREATE VIEW ${stream} AS SELECT * FROM read_parquet('${location.replaceAll("'", "''")}/v1/${stream}/**/*.parquet', hive_partitioning = true);\n`

/** Returns the statements for all streams. `location` is the bucket of the archive, or for DuckDB a folder with a copy of it. */
export function tableStatements(engine: TableEngine, location?: string): string {
  const statements = Object.entries(logColumns).map(([stream, columns]) =>
    engine === 'athena'
      ? athenaTable(stream, columns, location ?? 'na-archive')
      : duckdbView(stream, location ?? 'archive'),
  )
  return statements.join('\n')
}

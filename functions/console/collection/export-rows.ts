import type { CalledRoute } from '../client/api-types.ts'
import { send } from '../client/request.ts'
import { texts } from '../texts/texts.ts'
import type { Column, ReferenceName, Row, State } from './collection.ts'
import { maxCsvRows, toCsv } from './csv.ts'
import { byNames, type Names } from './references.ts'
import { idsIn } from './row-table.tsx'
import { columnLabel, textOf } from './values.tsx'

/** Number of rows of a page, and of ids whose names one request resolves (K11.G2). */
const maxPage = 1000
const maxIds = 100

/** Milliseconds between two requests of an export: at most four per second. */
const interval = 250

type Answer = { data: Row[]; metadata: { next_page: string | null } }

/** Sends the requests of one export, each at least 250 ms after the one before. */
function newPace(): <T>(work: () => Promise<T>) => Promise<T> {
  let next = 0
  return async (work) => {
    const pause = next - Date.now()
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    next = Date.now() + interval
    return work()
  }
}

/** List whose rows are exported. */
export type Exported = {
  route: CalledRoute
  path: object
  query: object
  columns: Column<Row>[]
  /** Converts an element of the list to a row with an `id`. */
  toRow?: (element: never) => Row
  states?: ((row: Row) => State[]) | undefined
}

type Pace = ReturnType<typeof newPace>

async function readAll(
  { route, path, query, toRow }: Exported,
  pace: Pace,
  onRows: (count: number) => void,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const options = { path, query: { ...query, limit: maxPage, ...(cursor && { page_cursor: cursor }) } }
    const page = (await pace(() => send(route as 'GET /sites', options as never))).answer as unknown as Answer
    rows.push(...page.data)
    onRows(Math.min(rows.length, maxCsvRows))
    cursor = page.metadata.next_page
  } while (cursor && rows.length < maxCsvRows)
  const read = rows.slice(0, maxCsvRows)
  return toRow ? (read as never[]).map(toRow) : read
}

/** Resolves the ids in rows to names, of the collections that the session may read. */
async function readNames(ids: Partial<Record<ReferenceName, string[]>>, pace: Pace, may: (name: string) => boolean) {
  const wanted = byNames.filter(may).flatMap((name) => [...new Set(ids[name])].map((id) => [name, id] as const))
  const names = new Map<string, string>()
  for (let start = 0; start < wanted.length; start += maxIds) {
    const query: Record<string, string> = {}
    for (const [name, id] of wanted.slice(start, start + maxIds))
      query[name] = query[name] ? `${query[name]},${id}` : id
    const { answer } = await pace(() => send('GET /names', { path: {}, query }))
    for (const { object, id, name } of answer.data) names.set(`${object} ${id}`, name)
  }
  const namesOf: Names = (name, id) => names.get(`${name} ${id}`)
  return namesOf
}

type Result = { text: string; count: number }

/**
 * Exports rows as CSV: the given ones, or all rows of the list up to 10,000, with names in the place of ids (K5.3).
 * @throws Problem
 */
export async function exportRows(
  exported: Exported,
  given: Row[] | null,
  may: (name: string) => boolean,
  onRows: (count: number) => void,
): Promise<Result> {
  const { columns, states } = exported
  const pace = newPace()
  const rows = given ?? (await readAll(exported, pace, onRows))
  const names = await readNames(idsIn(columns, rows), pace, may)
  const header = ['id', ...columns.map(columnLabel), ...(states ? [texts.state] : [])]
  const stateOf = (row: Row) => states?.(row).map(({ text }) => text)
  const lines = rows.map((row) => [
    row.id,
    ...columns.map((column) => textOf(column, row, names)),
    ...(states ? [stateOf(row)?.join('; ') ?? ''] : []),
  ])
  return { text: toCsv([header, ...lines]), count: rows.length }
}

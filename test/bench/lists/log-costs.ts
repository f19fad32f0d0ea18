import { randomUUID } from 'node:crypto'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { idFrom, type LogStream, logStreams } from '#shared/logs/entries/log-id.ts'
import { readLogQuery } from '#shared/logs/log-query.ts'
import { listLogs, logCursor } from '#shared/logs/query-logs.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { type PlantedLogs, plantLogs } from '#test/support/table/plant-logs.ts'

/** Measured pages. The last page contains flows that began before the window. */
const pages = ['first', 'middle', 'backward', 'last'] as const

type PageCosts = Record<(typeof pages)[number], Consumed>
export type LogCost = PageCosts & { name: string }

const limit = '50'

type Query = Record<string, string>
type Listing = (logs: PlantedLogs) => Query

const listings: [name: string, query: Listing][] = [
  ['all streams', () => ({})],
  ...logStreams.map((type): [string, Listing] => [type, () => ({ type })]),
  ['all streams, an actor with 100 entries of each', ({ rare }) => ({ actor_id: rare.id })],
  ['all streams, a busy actor', ({ busy }) => ({ actor_id: busy.id })],
  ['all streams, an email with 100 entries of each', ({ rare }) => ({ actor_email: rare.email })],
  ['flow, an actor with 100', ({ rare }) => ({ type: 'flow', actor_id: rare.id })],
  // Queries the actor's id, which is the object id of planted changes.
  ['change, an object with 100', ({ rare }) => ({ object_id: rare.id })],
]

/** Measures pages of 50 entries in a log of `count` entries and of some days, with a quarter in each stream. */
export async function logCosts(count: number, days = 30): Promise<LogCost[]> {
  const account = { id: randomUUID(), inserted_at: timestamp(0) } as AccountRow
  const logs = await plantLogs(account.id, count, days)
  const costs: LogCost[] = []
  for (const [name, toQuery] of listings) {
    // Begins the window after the first entries, so that some flows are still open at its beginning.
    const window = { begin: timestamp(logs.begin + (logs.end - logs.begin) / 10), end: timestamp(logs.end) }
    costs.push({ name, ...(await pageCosts(account, { ...window, ...toQuery(logs), limit }, logs)) })
  }
  return costs
}

async function pageCosts(account: AccountRow, query: Query, { begin, end }: PlantedLogs): Promise<PageCosts> {
  const read = async (page_cursor?: string) => {
    const search = new URLSearchParams({ ...query, ...(page_cursor && { page_cursor }) })
    return listLogs(account, search)
  }
  const { data, metadata } = await read()
  if (data.length !== Number(limit)) throw new Error(`The page is not full: ${JSON.stringify(query)}`)
  // Builds cursors for the middle and the beginning of the window, without reading the pages before these positions.
  const parsed = readLogQuery(new URLSearchParams(query), clock.now())
  const at = (micros: number, backward: boolean) =>
    logCursor(account.id, parsed, {
      id: idFrom((query.type ?? 'session') as LogStream, Math.floor(micros)),
      backward,
      begin: parsed.begin ?? begin,
      end: parsed.end ?? end,
      total: metadata.total,
    })
  const middle = begin + (end - begin) * 0.55
  const cursors = {
    first: undefined,
    middle: await at(middle, false),
    backward: await at(middle, true),
    last: await at(parsed.begin ?? begin, false),
  }
  const costs = {} as PageCosts
  for (const page of pages) {
    costs[page] = await measure(() => read(cursors[page]))
  }
  return costs
}

const page = ({ reads, requests, trips }: Consumed) => `${reads} units, ${requests} requests in ${trips} trips`

export const logTable = (few: LogCost[], many: LogCost[], sizes: [number, number]): string =>
  few
    .flatMap((cost, i) => [
      `${cost.name}:`,
      ...pages.map((name) => {
        const other = many[i] as LogCost
        const ratio = (other[name].reads / Math.max(1, cost[name].reads)).toFixed(2)
        return `  ${name}: ${page(cost[name])} at ${sizes[0]} entries; ${page(other[name])} at ${sizes[1]}: ${ratio} ×`
      }),
    ])
    .join('\n')

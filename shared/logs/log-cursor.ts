import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../core/pagination.ts'
import type { LogQuery } from './log-query.ts'

/**
 * What a cursor holds: the entry it stands at, for a flow with its ingest, and what the first page found out. Without
 * an entry it stands at the end of the list, for the page beside one that came out empty. The form before had neither
 * total nor ingest (docs/evolution.md).
 */
const LogPosition = v.strictObject({
  begin: v.number(),
  end: v.number(),
  id: v.optional(v.string()),
  at: v.optional(v.number()),
  backward: v.boolean(),
  total: v.optional(v.number()),
})
export type LogPosition = v.InferOutput<typeof LogPosition>

/** What a cursor belongs to. A filter that came later is named only where it is set, so that older cursors stay good. */
function bindingOf(account: string, query: LogQuery): string {
  const { cursor: _cursor, limit: _limit, totalLimit: _totalLimit, objectId, ...filters } = query
  return `${account}/logs?${JSON.stringify({ ...filters, ...(objectId !== null && { objectId }) })}`
}

export const logCursor = (account: string, query: LogQuery, position: LogPosition): Promise<string> =>
  encodeCursor(bindingOf(account, query), position)

/** Null for the first page. @throws ApiError `invalid_page_cursor` */
export const readLogPosition = async (account: string, query: LogQuery): Promise<LogPosition | null> =>
  query.cursor === null ? null : decodeCursor(bindingOf(account, query), query.cursor, LogPosition)

import * as v from 'valibot'
import { ApiError, type ErrorCode } from '../core/errors.ts'
import type { Filter } from './filters.ts'

/** Request for a list (A7): at most `limit` rows that match `filters`, starting at the cursor. */
export type Page = {
  limit: number
  cursor: string | null
  filters: Record<string, string>
  /** Account, path and filters. A cursor is valid for no other list. */
  binding: string
}

/** Returns the single value of a parameter. Rejects a repeated parameter and the array form (A7.1). */
export function readSingle(query: URLSearchParams, name: string, refuse: () => ApiError): string | null {
  const values = query.getAll(name)
  if (values.length > 1 || query.has(`${name}[]`)) throw refuse()
  return values[0] ?? null
}

/** Maximum number of rows of a page (A7.1). */
export const maxLimit = 1_000

/** Reads `limit` and clamps it to the range 1 to `maxLimit`; 50 by default (A7.1). */
export function readLimit(query: URLSearchParams): number {
  const refuse = () => new ApiError('invalid_limit')
  const text = readSingle(query, 'limit', refuse)
  if (text === null) return 50
  if (!/^[+-]?\d+$/.test(text)) throw refuse()
  return Math.min(maxLimit, Math.max(1, Number(text)))
}

/** Reads `page_cursor`, whose contents are verified on use. @throws ApiError `invalid_page_cursor` for a repeated or empty cursor */
export function readCursor(query: URLSearchParams): string | null {
  const refuse = () => new ApiError('invalid_page_cursor' satisfies ErrorCode)
  const cursor = readSingle(query, 'page_cursor', refuse)
  if (cursor === '') throw refuse()
  return cursor
}

/** Reads the paging parameters and filters of a list (A7). `scope` contains account and path, to which the cursor is bound. */
export function readPage(query: URLSearchParams, schemas: Record<string, Filter>, scope: string): Page {
  const limit = readLimit(query)
  const cursor = readCursor(query)
  const filters: Record<string, string> = {}
  for (const [name, filter] of Object.entries(schemas)) {
    const refuse = () => new ApiError('invalid_filter', `Invalid value for filter ${name}.`)
    const text = readSingle(query, name, refuse)
    if (text === null) continue
    const { success, output } = v.safeParse(filter, text)
    if (!success) throw refuse()
    filters[name] = output
  }
  return { limit, cursor, filters, binding: `${scope}?${JSON.stringify(filters)}` }
}

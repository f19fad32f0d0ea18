import * as v from 'valibot'
import { ApiError, type ErrorCode } from '../core/errors.ts'
import type { Filter } from './filters.ts'

/** Request of a list (A7): at most `limit` rows that match `filters`, from the cursor on. */
export type Page = {
  limit: number
  cursor: string | null
  filters: Record<string, string>
  /** Account, path and filters: a cursor is valid for no other list. */
  binding: string
}

/** Single value of a parameter; a repetition, or array form, is refused (A7.1). */
function single(query: URLSearchParams, name: string, refuse: () => ApiError): string | null {
  const values = query.getAll(name)
  if (values.length > 1 || query.has(`${name}[]`)) throw refuse()
  return values[0] ?? null
}

/** `limit` of A7.1: 1 to 100, default 50. */
export function readLimit(query: URLSearchParams): number {
  const refuse = () => new ApiError('invalid_limit')
  const text = single(query, 'limit', refuse)
  if (text === null) return 50
  if (!/^[+-]?\d+$/.test(text)) throw refuse()
  return Math.min(100, Math.max(1, Number(text)))
}

/** @throws ApiError `invalid_page_cursor` for a repeated or empty one; its contents are checked on use */
export function readCursor(query: URLSearchParams): string | null {
  const refuse = () => new ApiError('invalid_page_cursor' satisfies ErrorCode)
  const cursor = single(query, 'page_cursor', refuse)
  if (cursor === '') throw refuse()
  return cursor
}

/** Paging parameters and filters of a list (A7). `scope` names account and path, to bind the cursor. */
export function readPage(query: URLSearchParams, known: Record<string, Filter>, scope: string): Page {
  const limit = readLimit(query)
  const cursor = readCursor(query)
  const filters: Record<string, string> = {}
  for (const [name, filter] of Object.entries(known)) {
    const refuse = () => new ApiError('invalid_filter', `Invalid value for filter ${name}.`)
    const text = single(query, name, refuse)
    if (text === null) continue
    const { success, output } = v.safeParse(filter, text)
    if (!success) throw refuse()
    filters[name] = output
  }
  return { limit, cursor, filters, binding: `${scope}?${JSON.stringify(filters)}` }
}

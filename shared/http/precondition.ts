import * as v from 'valibot'
import { ApiError } from '../core/errors.ts'
import { isCurrent, tagOf } from './entity-tag.ts'
import type { Context, Operation } from './operation.ts'
import { isV0 } from './v0-headers.ts'

/** Runs a change if the request's condition holds on the state that its commit is based on. */
export type Precondition = <T>(change: () => Promise<T>) => Promise<T>

/** The object is read as its `GET` shows it. An unknown object is 404 before its tag is looked at (A4). */
const objectMatches =
  (header: string, current: Operation, context: () => Context): Precondition =>
  async (change) => {
    const tag = tagOf(v.parse(current.response, await current.handle(context())))
    if (!tag || !isCurrent(header, tag)) throw new ApiError('precondition_failed')
    return change()
  }

/** Without a tag nothing matches an `If-Match`, so the change is refused; an unknown parent is still 404. */
const nothingMatches: Precondition = async (change) => {
  try {
    await change()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw error
  }
  throw new ApiError('precondition_failed')
}

/** The condition of `If-Match` on a change or deletion (A8.2); `*` matches whatever exists. The legacy API has none. */
export function preconditionOf(
  { method, etagFrom, path }: Operation,
  header: string | undefined,
  context: () => Context,
): Precondition | undefined {
  if (header === undefined || header.trim() === '*' || method === 'GET' || method === 'POST' || isV0(path))
    return undefined
  return etagFrom ? objectMatches(header, etagFrom, context) : nothingMatches
}

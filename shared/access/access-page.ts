import * as v from 'valibot'
import { takeFitting } from '../core/json/answer-size.ts'
import { pageCursor, readPosition } from '../table/page-cursor.ts'
import type { Page } from '../values/page.ts'

/** A list whose rows are found by merging others has no total: it could only be had by reading all of them. */
export const accessList = <S extends v.GenericSchema>(row: S) =>
  v.object({
    data: v.array(row),
    metadata: v.object({
      limit: v.number(),
      next_page: v.nullable(v.string()),
      prev_page: v.nullable(v.string()),
    }),
  })

type Range = { after?: string; backward: boolean; limit: number }

/** Candidates that are read at a time, at most. */
const longestStretch = 500

type Accepted<T> = { id: string; row: T }
type Source<T> = {
  /** The next ids beyond a position, in order of ids; fewer than asked for when there are no more. */
  read(range: Range): Promise<string[]>
  accept(ids: string[]): Promise<Accepted<T>[]>
}

/** The rows that `accept` makes of candidates. Where few candidates are accepted, stretches get longer. */
async function* acceptedFrom<T>({ read, accept }: Source<T>, { after, backward, limit: wanted }: Range) {
  let position = after
  for (let limit = wanted; ; limit = Math.min(2 * limit, longestStretch)) {
    const ids = await read({ after: position, backward, limit })
    yield* await accept(ids)
    if (ids.length < limit) return
    position = ids.at(-1)
  }
}

/** A page of the rows that are accepted, as far as they fit an answer. */
export async function accessPage<T>(page: Page, source: Source<T>) {
  const position = await readPosition(page)
  const backward = position?.backward ?? false
  const { kept, more } = await takeFitting(
    acceptedFrom(source, { after: position?.at, backward, limit: page.limit + 1 }),
    { limit: page.limit, shown: ({ row }) => row },
  )
  if (backward) kept.reverse()
  const known = kept.length > 0 || position?.at !== undefined
  const cursor = async (at: string | undefined, direction: boolean, exists: boolean) =>
    exists && known ? pageCursor(page, { at, backward: direction }) : null
  // The page whose cursor led here exists, so there is always one in that direction.
  const [next_page, prev_page] = await Promise.all([
    cursor(kept.at(-1)?.id, false, backward || more),
    cursor(kept[0]?.id, true, backward ? more : position !== null),
  ])
  return { data: kept.map(({ row }) => row), metadata: { limit: page.limit, next_page, prev_page } }
}

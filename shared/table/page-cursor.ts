import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../core/pagination.ts'
import type { Page } from '../values/page.ts'

/** Where a page begins, exclusively; without `at` at the end of the list, for the page beside one that came out empty. */
const Position = v.strictObject({ at: v.optional(v.string()), backward: v.boolean() })
export type Position = v.InferOutput<typeof Position>

export const pageCursor = (page: Page, position: Position): Promise<string> => encodeCursor(page.binding, position)

/** Null for the first page. @throws ApiError `invalid_page_cursor` */
export const readPosition = async (page: Page): Promise<Position | null> =>
  page.cursor === null ? null : decodeCursor(page.binding, page.cursor, Position)

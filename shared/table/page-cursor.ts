import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../core/secrets/cursor.ts'
import type { Page } from '../values/page.ts'

/** The sort key beyond which a page begins; without `at` it begins at an end of the list, beside a page that came out empty. */
const Position = v.strictObject({ at: v.optional(v.string()), backward: v.boolean() })
export type Position = v.InferOutput<typeof Position>

export const pageCursor = (page: Page, position: Position): Promise<string> => encodeCursor(page.binding, position)

/** The position of a page; `at` is missing for the first one. @throws ApiError `invalid_page_cursor` */
export const readPosition = async (page: Page): Promise<Position> =>
  page.cursor === null ? { backward: false } : decodeCursor(page.binding, page.cursor, Position)

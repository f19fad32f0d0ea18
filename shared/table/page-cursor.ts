import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../core/secrets/cursor.ts'
import type { Page } from '../values/page.ts'

/** Sort key after which a page starts. Without `at`, the page starts at the first row, or with `backward` at the last row. */
const Position = v.strictObject({ at: v.optional(v.string()), backward: v.boolean() })
export type Position = v.InferOutput<typeof Position>

export const pageCursor = (page: Page, position: Position): Promise<string> => encodeCursor(page.binding, position)

/** Reads the position from a page's cursor. `at` is missing for the first page. @throws ApiError `invalid_page_cursor` */
export const readPosition = async (page: Page): Promise<Position> =>
  page.cursor === null ? { backward: false } : decodeCursor(page.binding, page.cursor, Position)

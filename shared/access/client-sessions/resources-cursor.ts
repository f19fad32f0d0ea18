import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../../core/pagination.ts'
import type { Reachable } from '../connectable-resources.ts'

const bindingOf = (account: string, sessionId: string): string => `client resources ${account} ${sessionId}`

/** The cursor to the resources that did not fit the answer; null when all did (P3.1(5)). */
export const resourcesCursor = async (
  account: string,
  sessionId: string,
  { resources, more }: Reachable,
): Promise<string | null> => (more ? encodeCursor(bindingOf(account, sessionId), resources.at(-1)?.id) : null)

/** The id that a cursor goes on after. @throws ApiError `invalid_page_cursor` */
export const readResourcesCursor = (account: string, sessionId: string, cursor: string): Promise<string> =>
  decodeCursor(bindingOf(account, sessionId), cursor, v.string())

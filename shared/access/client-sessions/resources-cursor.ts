import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../../core/pagination.ts'
import type { Reachable } from '../connectable-resources.ts'

const bindingOf = (account: string, sessionId: string): string => `client resources ${account} ${sessionId}`

/** Where the resources of a session go on that did not fit an answer; null when that held the last one (P3.1(5)). */
export const resourcesCursor = async (
  account: string,
  sessionId: string,
  { resources, more }: Reachable,
): Promise<string | null> => (more ? encodeCursor(bindingOf(account, sessionId), resources.at(-1)?.id) : null)

/** The id that a cursor goes on after. @throws ApiError `invalid_page_cursor` */
export const readResourcesCursor = (account: string, sessionId: string, cursor: string): Promise<string> =>
  decodeCursor(bindingOf(account, sessionId), cursor, v.string())

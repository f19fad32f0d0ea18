import * as v from 'valibot'
import type { V0Lists } from '../../domain/accounts/account.ts'
import { trimmed } from './white-space.ts'

/** The items of a stored list; none of `""`. */
const itemsOf = (text: string): string[] => (trimmed(text) === '' ? [] : text.split(',').map(trimmed))

/** A stored list of addresses as the account has it shown (`/v0` contract, 5.8). */
export const showList = <T extends string | null>(text: T, lists: V0Lists): T | string[] =>
  text === null || lists === 'text' ? text : itemsOf(text)

/**
 * A list that was sent, in the spelling of a stored one that shows the same items: what an account has shown as an array
 * does not tell the blanks around its items, and can be sent back.
 */
export function respell<T>(sent: T, lists: V0Lists, ...stored: T[]): T {
  if (typeof sent !== 'string' || lists === 'text') return sent
  const items = itemsOf(sent).join()
  return stored.find((text) => typeof text === 'string' && itemsOf(text).join() === items) ?? sent
}

const documented = { items: { type: 'string' } }

/** A list of addresses in an answer. */
export const ShownList = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.metadata({ jsonSchema: { type: ['string', 'array'], ...documented } }),
)
export const ShownListOrNull = v.pipe(
  v.nullable(v.union([v.string(), v.array(v.string())])),
  v.metadata({ jsonSchema: { type: ['string', 'array', 'null'], ...documented } }),
)

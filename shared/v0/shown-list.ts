import * as v from 'valibot'
import type { V0Lists } from '../domain/accounts/account.ts'
import { trimmed } from './messages.ts'

const splitItems = (text: string): string[] => (trimmed(text) === '' ? [] : text.split(',').map(trimmed))

/** Renders a stored list of addresses in the form that the account has chosen (`/v0` contract, 5.8). */
export const showList = <T extends string | null>(text: T, lists: V0Lists): T | string[] =>
  text === null || lists === 'text' ? text : splitItems(text)

/**
 * Returns the stored string if it has the same items as the submitted string. This keeps white space that clients with arrays never see.
 * Otherwise returns the submitted string.
 */
export function respell<T>(sent: T, lists: V0Lists, ...storedTexts: T[]): T {
  if (typeof sent !== 'string' || lists === 'text') return sent
  const items = splitItems(sent).join()
  return storedTexts.find((text) => typeof text === 'string' && splitItems(text).join() === items) ?? sent
}

const itemsSchema = { items: { type: 'string' } }

export const ShownList = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.metadata({ jsonSchema: { type: ['string', 'array'], ...itemsSchema } }),
)
export const ShownListOrNull = v.pipe(
  v.nullable(v.union([v.string(), v.array(v.string())])),
  v.metadata({ jsonSchema: { type: ['string', 'array', 'null'], ...itemsSchema } }),
)

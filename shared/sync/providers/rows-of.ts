import { isObject } from '../../core/json/is-object.ts'
import { ProviderFault } from '../provider-fault.ts'
import { type Call, nameOf } from './call.ts'

export type Fields = Record<string, unknown>

/** An answer that cannot be believed (I5.1): nothing may be concluded from it. */
export const invalidData = (call: Call, what: string): ProviderFault =>
  new ProviderFault('fatal', `${nameOf(call)} answered invalid data: ${what}.`)

/** A text with something in it, or null. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null

/**
 * The entries of a list, each with its id. A list that is missing is no empty one.
 * @throws ProviderFault fatal for a list that is missing, and for an entry without an id
 */
export function rowsOf(call: Call, list: unknown, name: string, id = 'id'): (Fields & { id: string })[] {
  if (!Array.isArray(list)) throw invalidData(call, `${name} is missing`)
  return list.map((row: unknown) => {
    const found = isObject(row) ? row[id] : undefined
    if (!isObject(row) || typeof found !== 'string' || found === '') {
      throw invalidData(call, `an entry of ${name} has no ${id}`)
    }
    return { ...row, id: found }
  })
}

/**
 * The place where a list goes on. One that leads to the page it came with would be followed for hours.
 * @param asked the place of this page, null at the start
 * @throws ProviderFault `lost_place`, which ends as invalid data
 */
export function nextPlace(call: Call, next: string | null, asked: string | null): string | null {
  if (next === null || next !== asked) return next
  const sentence = `${nameOf(call)} answered invalid data: its next page is the same page again.`
  throw new ProviderFault('lost_place', sentence, { atLast: 'fatal' })
}

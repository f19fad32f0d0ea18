import { isObject } from '../../core/is-object.ts'
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

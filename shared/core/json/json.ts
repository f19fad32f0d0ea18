import { isObject } from './is-object.ts'

declare global {
  interface JSON {
    /** Missing in TypeScript's library. */
    rawJSON(text: string): unknown
  }
}

const exact = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value

/** JSON text; a bigint becomes the digits of an integer, exact to any size. */
export function toJson(value: unknown, indentation?: number): string {
  try {
    return JSON.stringify(value, undefined, indentation)
  } catch {
    // Few values have a bigint, and a replacer doubles the cost of all.
    return JSON.stringify(value, exact, indentation)
  }
}

const sorted = (key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : exact(key, value)

/** JSON with the keys of every object, also nested ones, in one order: equal values have equal texts. */
export const sortedJson = (value: unknown): string => JSON.stringify(value, sorted)

import { isObject } from './is-object.ts'

declare global {
  interface JSON {
    /** Declares `JSON.rawJSON`, which TypeScript's library lacks. */
    rawJSON(text: string): unknown
  }
}

const replaceBigint = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value

/** Serializes a value as JSON. A bigint becomes an exact integer. */
export function toJson(value: unknown, indentation?: number): string {
  try {
    return JSON.stringify(value, undefined, indentation)
  } catch {
    // Uses a replacer only for values with a bigint, because a replacer doubles the cost.
    return JSON.stringify(value, replaceBigint, indentation)
  }
}

const sortKeys = (key: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : replaceBigint(key, value)

/** Serializes a value with sorted keys at every level, so that equal values have equal texts. */
export const sortedJson = (value: unknown): string => JSON.stringify(value, sortKeys)

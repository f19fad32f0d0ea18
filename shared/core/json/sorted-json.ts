import { isObject } from './is-object.ts'

const sorted = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

/** JSON with the names of each object in one order, so that equal values have equal texts. */
export const sortedJson = (value: unknown): string => JSON.stringify(value, sorted)

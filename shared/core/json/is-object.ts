/** An object with keys of its own, neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of an object; of anything else there are none. */
export const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

declare global {
  interface JSON {
    /** Node has it, TypeScript's library does not know it yet. */
    rawJSON(text: string): unknown
  }
}

/** JSON text; a bigint becomes the digits of an integer, exact to any size. */
export function toJson(value: unknown, indentation?: number): string {
  try {
    return JSON.stringify(value, undefined, indentation)
  } catch {
    // There is a bigint in it, which few values have: a replacer costs all of them twice as much.
    const digits = (_key: string, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item)
    return JSON.stringify(value, digits, indentation)
  }
}

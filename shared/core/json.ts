declare global {
  interface JSON {
    /** Node has it, TypeScript's library does not know it yet. */
    rawJSON(text: string): unknown
  }
}

/** JSON text; a bigint becomes the digits of an integer, exact to any size. */
export const toJson = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item), indentation)

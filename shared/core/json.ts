type RawJson = { rawJSON(text: string): unknown }

/** JSON text; a bigint becomes the digits of an integer, exact to any size. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item) =>
    typeof item === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(item)) : item,
  )

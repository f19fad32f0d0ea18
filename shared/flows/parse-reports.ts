type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Whether the text can hold an integer that a double cannot: a run of 16 digits or more. */
const longNumber = /\d{16}/
const integer = /^-?\d+$/

/** JSON in which integers beyond 2^53 become bigint, exact to any size. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text)
  const exact: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && integer.test(source)
      ? BigInt(source)
      : value
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown)
}

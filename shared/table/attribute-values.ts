/** A value as the table's API spells it in JSON. */
type Spelled =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { B: string }
  | { L: Spelled[] }
  | { M: Record<string, Spelled> }
  | { SS: string[] }
  | { NS: string[] }

type Values = Record<string, unknown>

function spellNumber(value: number): Spelled {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new Error(`The table would not keep the number ${value} exactly.`)
  }
  return { N: String(value) }
}

function spellSet(values: unknown[]): Spelled {
  if (values.length > 0 && values.every((value) => typeof value === 'string')) return { SS: values }
  if (values.length > 0 && values.every((value) => typeof value === 'number')) return { NS: values.map(String) }
  throw new Error('A set in the table holds texts or numbers, and at least one.')
}

/** One value. @throws Error for what the table has no type for */
export function spell(value: unknown): Spelled {
  switch (typeof value) {
    case 'string':
      return { S: value }
    case 'number':
      return spellNumber(value)
    case 'bigint':
      return { N: String(value) }
    case 'boolean':
      return { BOOL: value }
    case 'object':
      if (value === null) return { NULL: true }
      if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(spell) }
      if (value instanceof Uint8Array) {
        return { B: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
      }
      if (value instanceof Set) return spellSet([...value])
      if (isPlain(value)) return { M: spellAll(value) }
  }
  throw new Error(`The table has no type for a ${typeof value}.`)
}

function isPlain(value: object): value is Values {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The attributes of an item, a key, or the values of an expression; undefined ones are left out. */
export function spellAll(values: Values): Record<string, Spelled> {
  const spelled: Record<string, Spelled> = {}
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value !== undefined) assign(spelled, name, spell(value))
  }
  return spelled
}

/** An object of JSON can have any key, this one, too. */
export function assign<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, enumerable: true, configurable: true })
  else target[name] = value
}

/** Whole numbers that a number would not hold exactly are read as bigint. */
function readNumber(text: string): number | bigint {
  const value = Number(text)
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? BigInt(text) : value
}

/** Reads one value. @throws Error for a type that is not known */
export function read(spelled: Values): unknown {
  for (const type in spelled) {
    const value = spelled[type]
    switch (type) {
      case 'S':
      case 'BOOL':
        return value
      case 'N':
        return readNumber(value as string)
      case 'M':
        return readAll(value as Record<string, Values>)
      case 'L':
        return (value as Values[]).map(read)
      case 'NULL':
        return null
      case 'B':
        return new Uint8Array(Buffer.from(value as string, 'base64'))
      case 'SS':
        return new Set(value as string[])
      case 'NS':
        return new Set((value as string[]).map(readNumber))
    }
  }
  throw new Error(`The table answered a value of the types ${Object.keys(spelled)}.`)
}

/**
 * Reads the attributes of an item or a key. The table answers them in any order: in one of their own, all items of a kind
 * are objects of one shape to the engine of JavaScript, which makes a page of them three times as fast.
 */
export function readAll(spelled: Record<string, Values>): Values {
  const values: Values = {}
  for (const name of Object.keys(spelled).sort()) assign(values, name, read(spelled[name] ?? {}))
  return values
}

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type ApiError, invalid, invalidAt } from '../core/errors.ts'
import { isObject } from '../core/json/is-object.ts'
import type { Row } from './entity.ts'

type Attributes = Record<string, unknown>
type Packed = { zstd: Uint8Array }

/** Size in JSON bytes up to which compression costs more than it saves. */
const smallBytes = 20_000
/** Maximum compressed bytes in an item, below DynamoDB's limit of 400 KB. */
const maxPackedBytes = 380_000

const isPacked = (value: unknown): value is Packed => isObject(value) && value.zstd instanceof Uint8Array

const isStructure = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

/**
 * Compresses large lists and objects, so that a row fits an item, and a commit record holds the row before and after. Policies and
 * resources shrink below 60 % of their size. Small attributes stay readable for condition expressions.
 * @throws ApiError `validation_failed` for an item that is too large
 */
export function packLarge<T extends Attributes>(item: T): T {
  let bytes = 0
  const entries = Object.entries(item).map(([name, value]) => {
    if (!isStructure(value)) return [name, value]
    const text = JSON.stringify(value)
    if (text.length <= smallBytes) return [name, value]
    const zstd = zstdCompressSync(text)
    bytes += zstd.length
    return [name, { zstd } satisfies Packed]
  })
  if (bytes > maxPackedBytes) throw invalidAt(['base'], 'is too large to be stored')
  return bytes === 0 ? item : Object.fromEntries(entries)
}

function hasPacked(item: Attributes): boolean {
  for (const name in item) if (isPacked(item[name])) return true
  return false
}

export function unpackLarge<T extends Attributes>(item: T): T {
  if (!hasPacked(item)) return item
  const entries = Object.entries(item).map(([name, value]) => [
    name,
    isPacked(value) ? JSON.parse(zstdDecompressSync(value.zstd).toString()) : value,
  ])
  return Object.fromEntries(entries)
}

/** Approximate size of an item in bytes: its strings, binary and compressed attributes. */
export const weightOf = (item: Attributes): number =>
  Object.values(item).reduce<number>((sum, value) => {
    if (typeof value === 'string' || value instanceof Uint8Array) return sum + value.length
    return sum + (isPacked(value) ? value.zstd.length : 0)
  }, 0)

/** Maximum bytes of a row as JSON (A31). Two compressed versions of the row fit one commit record. */
export const maxRowBytes = 262_144

export const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))

/** Creates the 422 error for a row that is too large, and names its largest field. */
export function tooLarge(row: Row): ApiError {
  const [[largest] = ['base']] = Object.entries(row).toSorted(([, a], [, b]) => bytesOf(b) - bytesOf(a))
  const message = 'is too large to be stored'
  return invalid([
    { path: ['base'], message },
    { path: [largest], message },
  ])
}

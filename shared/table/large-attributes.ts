import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type ApiError, invalid, invalidAt } from '../core/errors.ts'
import { isObject } from '../core/json/is-object.ts'
import type { Row } from './entity.ts'

type Attributes = Record<string, unknown>
type Packed = { zstd: Uint8Array }

/** Below this, packing would cost more than it saves. */
const smallBytes = 20_000
/** An item holds 400 KB. */
const maxPackedBytes = 380_000

const isPacked = (value: unknown): value is Packed => isObject(value) && value.zstd instanceof Uint8Array

const isStructure = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

/**
 * Packs large lists and objects, so that every row fits an item, and its record with the row before and after: policies
 * and resources pack to less than 60 %. Small attributes stay, for conditions.
 * @throws ApiError `validation_failed` for what does not fit an item
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

/** About the bytes of an item in the table: its texts and what is packed, which is what makes an item large. */
export const weightOf = (item: Attributes): number =>
  Object.values(item).reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length
    return sum + (isPacked(value) ? value.zstd.length : 0)
  }, 0)

/** The most bytes of a row as JSON (A31): compressed, the row before and after a change fit the record of it together. */
export const maxRowBytes = 262_144

export const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))

/** 422 that names the field of a row that takes the most. */
export function tooLarge(row: Row): ApiError {
  const [[largest] = ['base']] = Object.entries(row).toSorted(([, a], [, b]) => bytesOf(b) - bytesOf(a))
  const message = 'is too large to be stored'
  return invalid([
    { path: ['base'], message },
    { path: [largest], message },
  ])
}

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { invalid } from '../core/errors.ts'

type Attributes = Record<string, unknown>
type Packed = { zstd: Uint8Array }

/** Below this, packing would cost more than it saves. */
const smallBytes = 20_000
/** An item holds 400 KB, and the record of a change holds an object before and after it. */
const maxRowBytes = 180_000

const isPacked = (value: unknown): value is Packed =>
  typeof value === 'object' && value !== null && (value as Partial<Packed>).zstd instanceof Uint8Array

const isStructure = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

/**
 * Packs the large lists and objects among an item's attributes, so that every object that the contract allows (100
 * filters of 500 ports each) fits an item. Small attributes stay as they are, for conditions to be tested on them.
 * @throws ApiError `validation_failed` for an object that cannot be stored
 */
export function packLarge<T extends Attributes>(item: T, maxBytes = maxRowBytes): T {
  let bytes = 0
  const entries = Object.entries(item).map(([name, value]) => {
    if (!isStructure(value)) return [name, value]
    const text = JSON.stringify(value)
    if (text.length <= smallBytes) return [name, value]
    const zstd = zstdCompressSync(text)
    bytes += zstd.length
    return [name, { zstd } satisfies Packed]
  })
  if (bytes > maxBytes) throw invalid({ base: ['is too large to be stored'] })
  return bytes === 0 ? item : (Object.fromEntries(entries) as T)
}

export function unpackLarge<T extends Attributes>(item: T): T {
  if (!Object.values(item).some(isPacked)) return item
  const entries = Object.entries(item).map(([name, value]) => [
    name,
    isPacked(value) ? JSON.parse(zstdDecompressSync(value.zstd).toString()) : value,
  ])
  return Object.fromEntries(entries)
}

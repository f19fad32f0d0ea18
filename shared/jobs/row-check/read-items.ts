import type { Key } from '../../table/keys.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { getStoredItems, type StoredItem } from '../../table/read.ts'

/** An item with its large attributes unpacked; as it is stored where they do not unpack, so that it differs from its commit. */
export function unpacked<T extends Record<string, unknown>>(item: T): T {
  try {
    return unpackLarge(item)
  } catch {
    return item
  }
}

/** Items in the order of their keys, undefined where there is none; consistent, and unpacked as far as they can be. */
export const readItems = async (keys: Key[]): Promise<(StoredItem | undefined)[]> =>
  (await getStoredItems(keys)).map((item) => item && unpacked(item))

/** True for a key that an item can have. The table refuses a request with any other key. */
export const isKey = (key: unknown): key is Key => {
  const { pk, sk } = (key ?? {}) as Partial<Record<string, unknown>>
  return isText(pk, 2_048) && isText(sk, 1_024)
}

const isText = (value: unknown, maxBytes: number): boolean =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxBytes

import { toJson } from './json.ts'

/** Maximum bytes of a response before compression (L2.7, A31), below Lambda's 6 MB. */
export const maxResponseBytes = 5_500_000

/** Maximum bytes of the rows of a page, which leaves capacity for metadata and presence fields. */
const maxRowsBytes = 5_000_000

/** Size of a value in a response, in bytes. Quotes and backslashes are escaped twice, because Lambda wraps the body in a JSON string. */
export const responseBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(toJson(value)))

/** Matches a text of characters that JSON does not escape and that take one byte each. */
const plainText = /^[ !#-[\]-~]*$/

/** Returns an upper bound of a text's size, with its quotes and two bytes for what follows. A character takes at most seven bytes. */
const maxTextBytes = (text: string): number => (plainText.test(text) ? text.length : 7 * text.length) + 6

/** Returns an upper bound of a value's serialized size, computed without serializing. */
export function maxJsonBytes(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return maxTextBytes(value)
    case 'bigint':
      return String(value).length + 2
    case 'object': {
      let bound = 6
      const fields = value as Record<string, unknown>
      for (const name in fields) bound += maxTextBytes(name) + maxJsonBytes(fields[name])
      return bound
    }
    default:
      return 30
  }
}

/** Bytes reserved for the fields of a response outside its lists, such as cursors. */
const reservedBytes = 50_000

type Capacity<T> = {
  limit?: number
  maxBytes?: number
  /** Returns the part of an item that the response contains; by default the whole item. */
  render?: (item: T) => unknown
  bytesOf?: (item: T) => number
  /** Maximum bytes of the fields that each item gets later. */
  addedBytes?: number
}

/**
 * Creates a function that returns, for each item in turn, whether the item fits. The first item always fits. Exact sizes are computed only
 * near the limit.
 */
function fitsIn<T>({
  maxBytes = maxRowsBytes,
  render = (item) => item,
  bytesOf = (item) => responseBytes(render(item)),
  addedBytes = 0,
}: Capacity<T>): (item: T) => boolean {
  let bytes = 0
  let uncountedItems: T[] = []
  let bound = 0
  let isFirst = true
  return (item) => {
    uncountedItems.push(item)
    bound += maxJsonBytes(render(item)) + addedBytes
    if (bytes + bound > maxBytes) {
      bytes += uncountedItems.reduce((sum, each) => sum + bytesOf(each) + addedBytes, 0)
      uncountedItems = []
      bound = 0
    }
    const fits = isFirst || bytes + bound <= maxBytes
    isFirst = false
    return fits
  }
}

/** Creates a function that returns, for each item in turn, whether it fits the response. Other lists already use `usedBytes`. */
export const fitsResponse = (usedBytes = 0): ((item: unknown) => boolean) =>
  fitsIn({ maxBytes: maxResponseBytes - reservedBytes - usedBytes })

/** Takes the first items that fit a page: at least one and at most `limit`. Reads at most one item more than it returns. */
export async function takeFitting<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { limit = Number.POSITIVE_INFINITY, ...capacity }: Capacity<T> = {},
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = []
  const fits = fitsIn(capacity)
  for await (const item of source) {
    if (items.length === limit || !fits(item)) return { items, more: true }
    items.push(item)
  }
  return { items, more: false }
}

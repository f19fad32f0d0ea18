import { toJson } from './json.ts'

/** What an answer holds at most, before compression (L2.7, A31): Lambda hands over 6 MB. */
export const maxAnswerBytes = 5_500_000

/** What the rows of a page take of it at most, so that metadata and what is shown live have room beside them. */
export const maxRowsBytes = 5_000_000

/**
 * Bytes that a value takes of an answer. Lambda hands the body over as a JSON string, in which a quote or backslash
 * counts twice.
 */
export const answerBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(toJson(value)))

/** Kept free for what an answer says beside its lists: an object of the account, cursors. */
const besideBytes = 50_000

/**
 * Says of one item after the other whether it still fits the answer, so that no more are read than fit: the first one
 * always does. `taken` is what other lists of the answer take.
 */
export function answerRoom(taken = 0): (item: unknown) => boolean {
  let bytes = besideBytes + taken
  let isFirst = true
  return (item) => {
    bytes += answerBytes(item)
    const fits = isFirst || bytes <= maxAnswerBytes
    isFirst = false
    return fits
  }
}

/** The items from the first on that fit an answer together: all of them as a rule, and always one. */
export function fitting<T>(items: T[], maxBytes = maxAnswerBytes): T[] {
  // Written out once more, a text at most doubles, so that the items of a usual page are not looked at one by one.
  if (2 * Buffer.byteLength(toJson(items)) <= maxBytes) return items
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += answerBytes(item)
    return index > 0 && bytes > maxBytes
  })
  return end < 0 ? items : items.slice(0, end)
}

type Room<T> = { limit?: number; maxBytes?: number; bytesOf?: (item: T) => number }

/**
 * The same of items that are read, or made, one by one: at most `limit` of them, and whether there are more. Nothing is
 * taken from the source beyond the first that is not kept.
 */
export async function takeFitting<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { limit = Number.POSITIVE_INFINITY, maxBytes = maxRowsBytes, bytesOf = answerBytes }: Room<T> = {},
): Promise<{ kept: T[]; more: boolean }> {
  const kept: T[] = []
  let bytes = 0
  for await (const item of source) {
    if (kept.length === limit) return { kept, more: true }
    bytes += bytesOf(item)
    if (kept.length > 0 && bytes > maxBytes) return { kept, more: true }
    kept.push(item)
  }
  return { kept, more: false }
}

import { toJson } from './json.ts'

/** What an answer holds at most, before compression (L2.7, A31): Lambda hands over 6 MB. */
export const maxAnswerBytes = 5_500_000

/** What the rows of a page take of it at most, so that metadata and what is shown live have room beside them. */
const maxRowsBytes = 5_000_000

/**
 * Bytes that a value takes of an answer. Lambda hands the body over as a JSON string, in which a quote or backslash
 * counts twice.
 */
export const answerBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(toJson(value)))

/** Kept free for what an answer says beside its lists: an object of the account, cursors. */
const besideBytes = 50_000

/** Says of one item after the other whether it still fits; the first one always does. */
function roomOf<T>(maxBytes: number, bytesOf: (item: T) => number = answerBytes): (item: T) => boolean {
  let bytes = 0
  let isFirst = true
  return (item) => {
    bytes += bytesOf(item)
    const fits = isFirst || bytes <= maxBytes
    isFirst = false
    return fits
  }
}

/** The room of a whole answer, of which its other lists take some already. */
export const answerRoom = (taken = 0): ((item: unknown) => boolean) => roomOf(maxAnswerBytes - besideBytes - taken)

type Room<T> = { limit?: number; maxBytes?: number; bytesOf?: (item: T) => number }

/**
 * The items from the first on that fit a page together, at most `limit` of them and always one, and whether there are
 * more. They can be read, or made, one by one: nothing is taken from the source beyond the first that is not kept.
 */
export async function takeFitting<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { limit = Number.POSITIVE_INFINITY, maxBytes = maxRowsBytes, bytesOf = answerBytes }: Room<T> = {},
): Promise<{ kept: T[]; more: boolean }> {
  const kept: T[] = []
  const fits = roomOf(maxBytes, bytesOf)
  for await (const item of source) {
    if (kept.length === limit || !fits(item)) return { kept, more: true }
    kept.push(item)
  }
  return { kept, more: false }
}

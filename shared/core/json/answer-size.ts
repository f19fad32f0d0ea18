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

/**
 * No less than a value of JSON takes of an answer, told without writing it: a character takes seven bytes at most. Rows are
 * small beside an answer, so this is all that is asked of most of them.
 */
export function mostBytes(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 7 * value.length + 6
    case 'bigint':
      return String(value).length + 2
    case 'object': {
      let most = 6
      const fields = value as Record<string, unknown>
      for (const name in fields) most += 7 * name.length + 6 + mostBytes(fields[name])
      return most
    }
    default:
      return 30
  }
}

/** Kept free for what an answer says beside its lists: an object of the account, cursors. */
const besideBytes = 50_000

type Room<T> = {
  limit?: number
  maxBytes?: number
  /** What an answer shows of an item; the item unless told otherwise. */
  shown?: (item: T) => unknown
  bytesOf?: (item: T) => number
}

/** Says of one item after the other whether it still fits; the first one always does. What fits in any case is not counted. */
function roomOf<T>({
  maxBytes = maxRowsBytes,
  shown = (item) => item,
  bytesOf = (item) => answerBytes(shown(item)),
}: Room<T>): (item: T) => boolean {
  let bytes = 0
  let uncounted: T[] = []
  let most = 0
  let isFirst = true
  return (item) => {
    uncounted.push(item)
    most += mostBytes(shown(item))
    if (bytes + most > maxBytes) {
      bytes += uncounted.reduce((sum, each) => sum + bytesOf(each), 0)
      uncounted = []
      most = 0
    }
    const fits = isFirst || bytes + most <= maxBytes
    isFirst = false
    return fits
  }
}

/** The room of a whole answer, of which its other lists take some already. */
export const answerRoom = (taken = 0): ((item: unknown) => boolean) =>
  roomOf({ maxBytes: maxAnswerBytes - besideBytes - taken })

/**
 * The items from the first on that fit a page together, at most `limit` of them and always one, and whether there are
 * more. They can be read, or made, one by one: nothing is taken from the source beyond the first that is not kept.
 */
export async function takeFitting<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { limit = Number.POSITIVE_INFINITY, ...room }: Room<T> = {},
): Promise<{ kept: T[]; more: boolean }> {
  const kept: T[] = []
  const fits = roomOf(room)
  for await (const item of source) {
    if (kept.length === limit || !fits(item)) return { kept, more: true }
    kept.push(item)
  }
  return { kept, more: false }
}

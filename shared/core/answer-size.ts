import { toJson } from './json.ts'

/** What an answer holds at most, before compression (L2.7, A31): Lambda hands over 6 MB. */
export const maxAnswerBytes = 5_500_000

/**
 * Bytes that a value takes of an answer. Lambda hands the body over as a JSON string, in which a quote or backslash
 * counts twice.
 */
export const answerBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(toJson(value)))

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

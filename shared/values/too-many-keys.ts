/** Of any object in a body; unknown keys count, although they are ignored. */
export const maxKeys = 1_000

/** The message for an object of too many keys; null for another. */
export function tooManyKeys(value: object): string | null {
  let keys = 0
  for (const _ in value) if (++keys > maxKeys) return `should have at most ${maxKeys} key(s)`
  return null
}

import type { Values } from './collection.ts'

/** Difference of a field between the loaded object, the current one and the form. */
export type Difference = { field: string; loaded: unknown; theirs: unknown; mine: unknown; isConflict: boolean }

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Lists the fields that the form changed. */
export const changesOf = (loaded: Values, mine: Values): Values =>
  Object.fromEntries(Object.entries(mine).filter(([field, value]) => !isSame(loaded[field], value)))

/** Compares the fields of a form with an edit that someone else made in the meantime (K5.5). */
export function differencesOf(loaded: Values, theirs: Values, mine: Values): Difference[] {
  return Object.keys(mine)
    .filter((field) => !isSame(loaded[field], theirs[field]) || !isSame(loaded[field], mine[field]))
    .map((field) => {
      const changedByBoth = !isSame(loaded[field], theirs[field]) && !isSame(loaded[field], mine[field])
      return {
        field,
        loaded: loaded[field],
        theirs: theirs[field],
        mine: mine[field],
        isConflict: changedByBoth && !isSame(theirs[field], mine[field]),
      }
    })
}

/** Merges both edits. A conflict takes the side in `chosen`, by default the form's. */
export function mergedValues(
  differences: Difference[],
  mine: Values,
  chosen: Record<string, 'theirs' | 'mine'>,
): Values {
  const merged = { ...mine }
  for (const { field, loaded, theirs, mine: own, isConflict } of differences) {
    if (isConflict ? chosen[field] === 'theirs' : isSame(loaded, own)) merged[field] = theirs
  }
  return merged
}

/** Single-character edits that turn one text into another. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, compared] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter === compared ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const maxEdits = 2

/** The known name that a misspelled one most likely means; undefined where none is near. */
export function nearestName(name: string, known: string[]): string | undefined {
  const near = known.map((one) => ({ one, edits: distance(name.toLowerCase(), one.toLowerCase()) }))
  return near.filter(({ edits }) => edits <= maxEdits).sort((a, b) => a.edits - b.edits)[0]?.one
}

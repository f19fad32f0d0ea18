/** Deeper than any field of any body. */
const maxDepth = 100

const codes = { quote: 0x22, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d }

/**
 * JSON text without what is nested more than a hundred deep: lists and objects there become empty ones, which no field
 * takes. A reviver is called recursively and would overflow the stack; JSON.parse without one would not.
 * @throws SyntaxError for text that is not JSON
 */
export function shallowJson(text: string): string {
  const kept: string[] = []
  let depth = 0
  let from = 0
  let checked = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === codes.quote) at = endOfString(text, at)
    else if (code === codes.openList || code === codes.openObject) {
      if (++depth !== maxDepth + 1) continue
      // What is left out must be JSON as well.
      if (!checked) JSON.parse(text)
      checked = true
      kept.push(text.slice(from, at + 1))
    } else if (code === codes.closeList || code === codes.closeObject) {
      if (depth-- === maxDepth + 1) from = at
    }
  }
  return kept.length === 0 ? text : [...kept, text.slice(from)].join('')
}

/** Where a string ends that begins here; the end of the text for one that does not end. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === codes.backslash) at++
    else if (code === codes.quote) return at
  }
  return text.length
}

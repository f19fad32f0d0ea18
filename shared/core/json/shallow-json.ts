/** Maximum nesting depth to keep, which is deeper than any valid request body. */
const maxDepth = 100

const codes = { quote: 0x22, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d }

/** Empties lists and objects below `maxDepth`, where a `JSON.parse` reviver would overflow the stack. @throws SyntaxError */
export function shallowJson(text: string): string {
  const chunks: string[] = []
  let depth = 0
  let chunkStart = 0
  let isChecked = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === codes.quote) at = endOfString(text, at)
    else if (code === codes.openList || code === codes.openObject) {
      if (++depth !== maxDepth + 1) continue
      // Parses the whole text, because the dropped parts must be valid JSON too.
      if (!isChecked) JSON.parse(text)
      isChecked = true
      chunks.push(text.slice(chunkStart, at + 1))
    } else if (code === codes.closeList || code === codes.closeObject) {
      if (depth-- === maxDepth + 1) chunkStart = at
    }
  }
  return chunks.length === 0 ? text : [...chunks, text.slice(chunkStart)].join('')
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === codes.backslash) at++
    else if (code === codes.quote) return at
  }
  return text.length
}

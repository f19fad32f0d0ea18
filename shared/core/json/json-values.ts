const codes = { quote: 0x22, comma: 0x2c, openList: 0x5b, backslash: 0x5c, openObject: 0x7b }

/** Returns an upper bound of the number of values in a JSON text. A compressed body of a few KB can contain millions. */
export function countJsonValues(text: Uint8Array): number {
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text[at]
    if (code === codes.quote) at = endOfString(text, at)
    else if (code === codes.comma || code === codes.openList || code === codes.openObject) values++
  }
  return values
}

function endOfString(text: Uint8Array, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === codes.backslash) at++
    else if (text[at] === codes.quote) return at
  }
  return text.length
}

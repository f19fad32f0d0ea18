/** JSON whitespace (RFC 8259, section 2). */
const blanks = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

/** Reads a string literal in a loop, because a regular expression would need memory for every escape. */
function readString(text: string, start: number): { end: number } | { fault: number } {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { end: at + 1 }
    if (code < 0x20) return { fault: at }
    if (code !== 0x5c) continue
    const escapeEnd = endOf(/["\\/bfnrt]|u[0-9a-fA-F]{4}/y, text, at + 1)
    if (escapeEnd === null) return { fault: at }
    at = escapeEnd - 1
  }
  return { fault: text.length }
}

/** Returns the index of the first character that makes a text invalid JSON; null for valid JSON. */
export function jsonFault(text: string): number | null {
  const openBrackets: string[] = []
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'end' = 'value'
  for (let at = 0; ; ) {
    at = endOf(blanks, text, at) ?? at
    if (at >= text.length) return expected === 'end' && openBrackets.length === 0 ? null : text.length
    const character = text[at]
    if (expected === 'end') {
      if (character === ',' && openBrackets.length > 0) expected = openBrackets.at(-1) === '{' ? 'key' : 'value'
      else if (openBrackets.length > 0 && character === (openBrackets.at(-1) === '{' ? '}' : ']')) openBrackets.pop()
      else return at
      at++
    } else if (expected === 'colon') {
      if (character !== ':') return at
      expected = 'value'
      at++
    } else if ((character === ']' && expected === 'value or ]') || (character === '}' && expected === 'key or }')) {
      openBrackets.pop()
      expected = 'end'
      at++
    } else if (character === '"') {
      const literal = readString(text, at)
      if ('fault' in literal) return literal.fault
      expected = expected.startsWith('key') ? 'colon' : 'end'
      at = literal.end
    } else if (expected.startsWith('key')) {
      return at
    } else if (character === '{' || character === '[') {
      openBrackets.push(character)
      expected = character === '{' ? 'key or }' : 'value or ]'
      at++
    } else {
      const end = endOf(scalar, text, at)
      if (end === null) return at
      expected = 'end'
      at = end
    }
  }
}

/** Describes the position at which a text stops being valid JSON, for example `line 2, column 5`. */
export function jsonFaultPosition(text: string): string {
  const lines = text.slice(0, jsonFault(text) ?? text.length).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

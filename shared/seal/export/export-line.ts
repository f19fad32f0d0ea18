import { canonicalJson } from '../log/canonical-json.ts'

/** Characters that an editor shows as a line break, in another direction, or not at all. A fixed list: each Node has its own Unicode. */
const unseen =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
const ascii = /^[ -~]*$/

const escapeOf = (character: string): string =>
  Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

const escaped = (json: string): string => (ascii.test(json) ? json : json.replace(unseen, escapeOf))

/** The one text of an entry in an export: its canonical form, with unseen characters as escapes (S5.1). */
export const entryLine = (entry: unknown): string => escaped(canonicalJson(entry))

/** The one text of a seal: its members in their order, each in its canonical form. */
export const sealLine = (seal: object): string =>
  escaped(`{${Object.entries(seal).map(([name, value]) => `"${name}":${canonicalJson(value)}`)}}`)

/** Parses the line of an entry. Null for a text that an export does not write, such as one with a name twice. */
export function parseEntryLine(line: string): { entry: unknown; canonical: string } | null {
  try {
    const entry: unknown = JSON.parse(line)
    const canonical = canonicalJson(entry)
    return escaped(canonical) === line ? { entry, canonical } : null
  } catch {
    return null
  }
}

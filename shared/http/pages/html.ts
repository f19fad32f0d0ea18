/** Safe HTML, created by the template tag `html`, which escapes all values. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Value in a template. Null and false render nothing. */
type Piece = Html | string | number | null | false | readonly Piece[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function textOf(piece: Piece): string {
  if (piece === null || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return String(piece).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Builds HTML from a template. Escapes values in text and in quoted attributes. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(parts.map((part, i) => part + textOf(pieces[i] ?? null)).join(''))

/** HTML that is safe to hand out: made by `html`, which escapes all that is put into it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What can stand between tags. Nothing comes of null and false, so that a part can be left out. */
type Piece = Html | string | number | null | false | readonly Piece[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function textOf(piece: Piece): string {
  if (piece === null || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return String(piece).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Template of HTML. Values of attributes stand in quotation marks: the escapes are those of text and of quoted values. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(parts.map((part, i) => part + textOf(pieces[i] ?? null)).join(''))

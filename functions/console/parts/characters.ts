/** Characters that are invisible or change the direction of text: control, format, and line and paragraph separators (K4.2). */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

export type Piece = { text: string; isCode: boolean }

/** Splits a text into pieces that can be shown as they are, and code points of characters that cannot. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isCode: false })
    pieces.push({ text: codePointOf(character), isCode: true })
    end = index + character.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isCode: false })
  return pieces
}

/** Names an object by its id. The end is shown, because the start is a time that objects of one minute share. */
export const shortId = (id: string): string => `…${id.slice(-8)}`

/** Returns the same as one text, for places without markup such as titles and options. */
export const plainText = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.isCode ? `⟨${piece.text}⟩` : piece.text))
    .join('')

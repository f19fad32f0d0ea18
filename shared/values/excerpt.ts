const maxShown = 255

/** What a message shows of a text that was sent: at most 255 characters, the last one an ellipsis where more were sent. */
export function excerpt(text: string): string {
  if (text.length <= maxShown) return text
  const characters = [...text.slice(0, 2 * maxShown + 2)]
  return characters.length <= maxShown ? text : `${characters.slice(0, maxShown - 1).join('')}…`
}

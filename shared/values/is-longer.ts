/** Whether a text has more than `max` characters: Unicode code points, each of one or two code units. */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false
  return text.length > 2 * max || [...text].length > max
}

/** Letters that Unicode does not decompose, and the final sigma. */
const letters: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
}
const undecomposed = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu')

/** Returns the words of a text without case, diacritics and invisible characters. */
export const foldWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    // Converts to upper case first, because `ß` has no other lower case.
    .toUpperCase()
    .toLowerCase()
    .replace(undecomposed, (letter) => letters[letter] ?? letter)
    .split(/[\s\p{Cc}]+/u)
    .filter((word) => word !== '')

/** Inserts a line feed, which no folded word contains, before each position at which a word begins (K11.G3(1)). */
const markStarts = (word: string): string => word.replace(/(?<=^|[@.\-_/:])(?=.)/gsu, '\n')

/** Returns the form of a value in the index, which contains the patterns of the words that match. */
export const markWords = (text: string): string => foldWords(text).map(markStarts).join(' ')

/** Returns the folded value of an indexed form. */
export const unmarked = (marked: string): string => marked.replaceAll('\n', '')

/** Returns the text that a value contains if a word begins with `word`. A word that begins with a separator may begin at this separator. */
export const patternOf = (word: string): string => markStarts(word).slice(/^[@.\-_/:]/.test(word) ? 1 : 0)

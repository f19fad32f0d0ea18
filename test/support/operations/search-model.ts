const folded: Readonly<Record<string, string>> = {
  á: 'a',
  Á: 'a',
  é: 'e',
  ü: 'u',
  Ü: 'u',
  ß: 'ss',
  ł: 'l',
  Ł: 'l',
  Ø: 'o',
  æ: 'ae',
  Σ: 'σ',
  ς: 'σ',
  '\u0301': '',
  '\u200d': '',
}
const separators = '@.-_/:'
const isBlank = (character: string): boolean => /\s/.test(character)

/** Characters of random names and searches: letters with and without diacritics, separators, blanks and invisible characters. */
export const searchAlphabet = [...'abAB1áÁüß', 'ł', 'Ł', 'Σ', 'ς', 'æ', '\u0301', '\u200d', ' ', '\t', ...separators]

const fold = (text: string): string[] => [...text].map((character) => folded[character] ?? character.toLowerCase())

/** Positions at which a word of the value can begin with a character. */
function beginsWord(characters: string[], at: number, withSeparator: boolean): boolean {
  const visible = characters.slice(0, at).filter((character) => character !== '\u0301' && character !== '\u200d')
  const before = visible.at(-1)
  return withSeparator || before === undefined || isBlank(before) || separators.includes(before)
}

/** True if a word of the value begins with the searched word, by the sentences of the contract (K11.G3(1)). */
function hasWord(value: string, word: string): boolean {
  const characters = [...value]
  const parts = fold(value)
  return characters.some(
    (character, at) =>
      parts[at] !== '' &&
      !isBlank(character) &&
      beginsWord(characters, at, separators.includes([...word][0] ?? ' ')) &&
      parts.slice(at).join('').startsWith(word),
  )
}

const wordsOf = (text: string): string[] => text.split(/\s+/).flatMap((word) => fold(word).join('') || [])

/** True if a value contains a word for each word of the search. */
export const matchesSearch = (value: string, search: string): boolean =>
  wordsOf(search).every((word) => hasWord(value, word))

/** Rank of a name among the hits of a search (K11.G3(3)). */
export function rankOfName(name: string, search: string): number {
  const [own, searched] = [wordsOf(name).join(' '), wordsOf(search).join(' ')]
  return own === searched ? 0 : own.startsWith(searched) ? 1 : 2
}

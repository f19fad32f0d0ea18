/** Words of a command after shell parsing, without quotes. A placeholder such as `<id of the API>` is one word. */
export type Words = readonly string[]

const separators = /^(?:\|\||&&|\||;|&|\n|\(|\))/
const redirection = /^\d?(?:>>|>|<<<|<)(?!\w[^<>\n]*>)\s*/
const placeholder = /^<\w[^<>\n]*>/
const keywords = new Set(['if', 'then', 'do', 'while', 'until', '!'])

/** Parses all commands of a script, including those in `$(…)`. */
export function commandsOf(script: string): Words[] {
  const text = script.replace(/\\\n\s*/g, ' ')
  const commands: string[][] = []
  let place = 0

  /** Reads to `end`, or to the end of the text. */
  const read = (end: string): void => {
    let words: string[] = []
    let word: string | null = null
    let dropped = false
    const endWord = () => {
      if (word !== null && !dropped) words.push(word)
      if (word !== null) dropped = false
      word = null
    }
    const endCommand = () => {
      endWord()
      while (words[0] !== undefined && (keywords.has(words[0]) || /^\w+=/.test(words[0]))) words = words.slice(1)
      if (words.length > 0) commands.push(words)
      words = []
    }
    const add = (part: string, length = part.length) => {
      word = (word ?? '') + part
      place += length
    }
    const substitution = () => {
      const begin = place
      place += 2
      read(')')
      word = (word ?? '') + text.slice(begin, place)
    }
    let quoted = false
    while (place < text.length) {
      const rest = text.slice(place)
      if (rest.startsWith('$(')) substitution()
      else if (quoted && rest.startsWith('"')) {
        quoted = false
        place += 1
      } else if (quoted) add(rest.startsWith('\\') ? rest.slice(1, 2) : rest.slice(0, 1), rest.startsWith('\\') ? 2 : 1)
      else if (end !== '' && rest.startsWith(end)) {
        endCommand()
        place += end.length
        return
      } else if (rest.startsWith('"')) {
        quoted = true
        add('', 1)
      } else if (rest.startsWith("'")) {
        const close = rest.indexOf("'", 1)
        add(rest.slice(1, close === -1 ? undefined : close), close === -1 ? rest.length : close + 1)
      } else if (placeholder.test(rest)) add(placeholder.exec(rest)?.[0] ?? '')
      else if (word === null && redirection.test(rest)) {
        dropped = true
        place += redirection.exec(rest)?.[0].length ?? 1
      } else if (separators.test(rest)) {
        endCommand()
        place += separators.exec(rest)?.[0].length ?? 1
      } else if (/^\s/.test(rest)) {
        endWord()
        place += 1
      } else add(rest.slice(0, 1))
    }
    endCommand()
  }

  read('')
  return commands
}

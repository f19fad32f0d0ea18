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
  let position = 0

  /** Parses commands up to the delimiter `end`, or to the end of the text. */
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
      position += length
    }
    const substitution = () => {
      const begin = position
      position += 2
      read(')')
      word = (word ?? '') + text.slice(begin, position)
    }
    let quoted = false
    while (position < text.length) {
      const remainder = text.slice(position)
      if (remainder.startsWith('$(')) substitution()
      else if (quoted && remainder.startsWith('"')) {
        quoted = false
        position += 1
      } else if (quoted)
        add(
          remainder.startsWith('\\') ? remainder.slice(1, 2) : remainder.slice(0, 1),
          remainder.startsWith('\\') ? 2 : 1,
        )
      else if (end !== '' && remainder.startsWith(end)) {
        endCommand()
        position += end.length
        return
      } else if (remainder.startsWith('"')) {
        quoted = true
        add('', 1)
      } else if (remainder.startsWith("'")) {
        const close = remainder.indexOf("'", 1)
        add(remainder.slice(1, close === -1 ? undefined : close), close === -1 ? remainder.length : close + 1)
      } else if (placeholder.test(remainder)) add(placeholder.exec(remainder)?.[0] ?? '')
      else if (word === null && redirection.test(remainder)) {
        dropped = true
        position += redirection.exec(remainder)?.[0].length ?? 1
      } else if (separators.test(remainder)) {
        endCommand()
        position += separators.exec(remainder)?.[0].length ?? 1
      } else if (/^\s/.test(remainder)) {
        endWord()
        position += 1
      } else add(remainder.slice(0, 1))
    }
    endCommand()
  }

  read('')
  return commands
}

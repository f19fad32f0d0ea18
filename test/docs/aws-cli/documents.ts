import { readdirSync, readFileSync } from 'node:fs'
import { commandsOf, type Words } from './shell.ts'

/** Documents whose commands must be current. Decisions and the changelog may contain outdated commands. */
export const documents = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/') && file !== 'docs/CHANGELOG.md'),
]

interface Command {
  words: Words
  file: string
}

const fence = /^( *)```(\w*)[^\n]*\n(.*?)^ *```/gms
const indented = /^ {4,}(?:aws|npx|npm) (?:.*\\\n)*.*/gm
const marked = /(`+)([^`]+)\1/g

/** Extracts the scripts from a document: code blocks, pipeline steps, indented commands and inline code. */
export function scriptsOf(text: string): string[] {
  const blocks = [...text.matchAll(fence)].map(([, , language = '', block = '']) =>
    /^ya?ml$/.test(language) ? block.replace(/^\s*(?:- )?(?:run: *\|?)?/gm, '') : block,
  )
  const rest = text.replace(fence, '')
  const lines = rest.match(indented) ?? []
  const marks = [...rest.replace(indented, '').matchAll(marked)].map(([, , code = '']) =>
    code
      .trim()
      .replace(/\s*\n\s*/g, ' ')
      .replaceAll('\\|', '|'),
  )
  return [...blocks, ...lines, ...marks]
}

/** Returns the commands in all documents that start with the words in `program`. */
export function documentedCommands(...program: string[]): Command[] {
  return documents.flatMap((file) =>
    scriptsOf(readFileSync(file, 'utf8'))
      .filter((script) => script.includes(program.join(' ')))
      .flatMap(commandsOf)
      .filter((words) => words.length > program.length && program.every((word, index) => words[index] === word))
      .map((words) => ({ words, file })),
  )
}

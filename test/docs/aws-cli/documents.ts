import { readdirSync, readFileSync } from 'node:fs'
import { commandsOf, type Words } from './shell.ts'

/** Current documents, without decisions and changelog, whose commands may be outdated. */
export const documents = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/') && file !== 'docs/CHANGELOG.md'),
]

interface Command {
  words: Words
  /** Path of the document, for test messages. */
  file: string
}

const fence = /^( *)```(\w*)[^\n]*\n(.*?)^ *```/gms
const indented = /^ {4,}(?:aws|npx|npm) (?:.*\\\n)*.*/gm
const marked = /(`+)([^`]+)\1/g

/** Scripts of a document: code blocks, pipeline steps in them, and inline code. */
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

/** Commands of all documents that start this program. */
export function documentedCommands(...program: string[]): Command[] {
  return documents.flatMap((file) =>
    scriptsOf(readFileSync(file, 'utf8'))
      .filter((script) => script.includes(program.join(' ')))
      .flatMap(commandsOf)
      .filter((words) => words.length > program.length && program.every((word, index) => words[index] === word))
      .map((words) => ({ words, file })),
  )
}

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { documents, scriptsOf } from './aws-cli/documents.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

const allDocuments = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]

/** Names of npm commands in inline code and code blocks, such as `seal` in `npm run seal`. */
const commands = documents.flatMap((file) =>
  scriptsOf(readFileSync(file, 'utf8')).flatMap((code) =>
    [...code.matchAll(/\bnpm (?:run )?([a-z][a-z:-]*)/g)].map(([, name = '']) => ({ file, name })),
  ),
)

it('every command of package.json is in a document', () => {
  const documentedNames = new Set(commands.map(({ name }) => name))
  expect(Object.keys(scripts).filter((name) => !documentedNames.has(name))).toEqual([])
})

it('the documents name only commands of package.json', () => {
  const ownOfNpm = new Set(['audit', 'ci', 'install'])
  const unknown = commands.filter(({ name }) => !(name in scripts) && !ownOfNpm.has(name))
  expect(unknown).toEqual([])
})

it('no command in the documents has a comment, which zsh would parse as arguments', () => {
  const commented = allDocuments.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = '']) =>
      block.split('\n').filter((line) => /(^|\s)#(\s|$)/.test(line)),
    ),
  )
  expect(commented).toEqual([])
})

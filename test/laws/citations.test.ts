import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourcesBelow } from '#test/support/run/imports.ts'

type Files = Iterable<[file: string, text: string]>

/**
 * Returns the names that can be cited in a contract: sections (`A17`, `A17.3`) and numbered rules (`A2.8` in A2, `A17.3(2)` in A17.3).
 * Sections of the legacy contract have only numbers (`9.6`).
 */
function citable(text: string): string[] {
  const names: string[] = []
  let section = ''
  for (const line of text.split('\n')) {
    const heading = /^#{2,3} ([ALPISRK]?\d+(?:\.G?\d+)?)\b/.exec(line)?.[1]
    section = heading ?? section
    if (heading) names.push(heading)
    const paragraph = /^(\d+\.\d+) /.exec(line)?.[1]
    if (paragraph) names.push(paragraph)
    const rule = /^(\d+)\. /.exec(line)?.[1]
    if (rule && section) names.push(section.includes('.') ? `${section}(${rule})` : `${section}.${rule}`)
  }
  return names
}

const citation = /(?<![\w#.%\\-])[ALPISRK][1-9]\d?(?:\.G?\d{1,2})?(?:\(\d{1,2}\))?(?![\w-])/g
const legacyCitation = /`\/v0` contract, ((?:\d+(?:\.\d+)?(?:, )?)+)/g

const cited = (text: string): string[] => [
  ...[...text.matchAll(citation)].map(([name]) => name),
  ...[...text.matchAll(legacyCitation)].flatMap(([, list = '']) => list.split(', ').filter(Boolean)),
]

const contract = readdirSync('docs/contract').map((name) => readFileSync(`docs/contract/${name}`, 'utf8'))
const knownIds = new Set(contract.flatMap(citable))

/** Returns the citations of nonexistent contract sections, with their files. */
const unknown = (files: Files): string[] =>
  [...files].flatMap(([file, text]) =>
    [...new Set(cited(text))].filter((name) => !knownIds.has(name)).map((name) => `${file}: ${name}`),
  )

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(md|json)$/.test(name))
  .map((name) => `docs/${name}`)

it('every cited section of the contract exists', () => {
  const sources = ['shared', 'functions', 'infra', 'test'].flatMap((folder) => [...sourcesBelow(folder)])
  const texts = [...documents, 'README.md'].map((file): [string, string] => [file, readFileSync(file, 'utf8')])
  // Excludes this file, because its invalid citations are test data.
  expect(unknown([...sources, ...texts].filter(([file]) => file !== 'test/laws/citations.test.ts'))).toEqual([])
})

it('detects a citation of a missing section', () => {
  const planted: Files = [
    ['shared/a.ts', '// A12.4 holds, A99 does not, nor A17.3(9) and (`/v0` contract, 9.6, 99.1); %C3%A9 is none'],
  ]
  expect(unknown(planted)).toEqual(['shared/a.ts: A99', 'shared/a.ts: A17.3(9)', 'shared/a.ts: 99.1'])
})

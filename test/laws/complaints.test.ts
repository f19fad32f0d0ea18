import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourcesBelow } from '#test/support/run/imports.ts'

/** Returns the numbers of the cited threads, written as `#9188` or after a repository name (`docs#925`). */
const threads = (text: string): string[] => [...new Set([...text.matchAll(/#(\d{2,5})\b/g)].map(([, id = '']) => id))]

/** Returns the thread numbers of all user complaints in the contract (2.1, 2.2), and of those that need no test (2.3). */
function complaints(contract: string): { all: string[]; excused: string[] } {
  const section = (title: string) => new RegExp(`^### ${title} .*?(?=^##)`, 'ms').exec(contract)?.[0] ?? ''
  const all = threads(section('2\\.1') + section('2\\.2'))
  return { all, excused: threads(section('2\\.3')) }
}

const titles = (text: string): string[] =>
  [...text.matchAll(/\b(?:it|describe)(?:\.each[^\n]*?\]\))?\(\s*(['"`])(.*?)\1/g)].map(([, , title = '']) => title)

const contract = readFileSync('docs/contract/identity-wire.md', 'utf8')
const tests = [...sourcesBelow('test')].filter(([file]) => file.endsWith('.test.ts') && !file.startsWith('test/laws/'))
const tested = new Set(tests.flatMap(([, text]) => titles(text).flatMap(threads)))
const { all, excused } = complaints(contract)

it('finds the complaints in the contract', () => {
  expect(all.length).toBeGreaterThan(50)
})

it('each complaint is in the title of a test, or is excused', () => {
  expect(all.filter((id) => !tested.has(id) && !excused.includes(id)).map((id) => `#${id}`)).toEqual([])
})

it('only complaints without a test are excused', () => {
  expect(excused.filter((id) => tested.has(id) || !all.includes(id)).map((id) => `#${id}`)).toEqual([])
})

it('detects a complaint without a test', () => {
  const planted = complaints(
    '## 2. Complaints\n\n### 2.1 One\n\n#1234, docs#56\n\n### 2.2 More\n\n#789/#790\n\n### 2.3 No\n\n#790\n\n## 3\n#99',
  )
  expect(planted).toEqual({ all: ['1234', '56', '789', '790'], excused: ['790'] })
  expect(titles('  it(\'one, #1234\', x)\nit.each([1])(\n  "two", y)\ndescribe(`three`, z)')).toEqual([
    'one, #1234',
    'two',
    'three',
  ])
})

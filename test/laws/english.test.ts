import { describe, expect, it } from 'vitest'
import { sourcesBelow } from '#test/support/run/imports.ts'
import { commentsOf, faultsByRoom, faultsOf } from './english.ts'

it.each([...faultsByRoom()])('comments of %s keep docs/style.md', (_, faulty) => expect(faulty).toEqual([]))

describe('faults of a comment', () => {
  it.each([
    ['What a role needs of the key.', ['opener']],
    ['The same of an email address.', ['opener']],
    ['Saves the cursor, and whoever comes next goes on.', ['verb']],
    [`Reads ${'one row and '.repeat(12)}ends.`, ['length']],
    ['Saves the cursor, so the next step resumes here.', []],
  ])('%s', (comment, faults) => expect(faultsOf(comment)).toEqual(faults))

  it('finds comments in blocks, in lines that follow each other, and behind code', () => {
    const source = "/** First\n * block. */\nconst a = 'b // no'\n// Two\n// lines.\nconst b = 1 // behind code\n"
    expect(commentsOf(source)).toEqual(['First block.', 'Two lines.', 'behind code'])
  })
})

/** Names that every store may export, so that the operations of all objects read alike. */
const storeNames = ['create', 'edit', 'editable', 'get', 'list', 'remove', 'removeAll', 'replace', 'update']

/** True for a file of the web console, a program of its own with its own vocabulary. */
const isConsole = (file: string): boolean => file.startsWith('functions/console/')

it.each([true, false])('no exported name has two meanings (in the console: %s)', (inConsole) => {
  const files = new Map<string, string[]>()
  for (const folder of ['functions', 'shared', 'infra'])
    for (const [file, source] of sourcesBelow(folder))
      if (isConsole(file) === inConsole)
        for (const [, name = ''] of source.matchAll(/^export (?:async )?(?:const|function\*?|class|type) (\w+)/gm))
          files.set(name, [...new Set([...(files.get(name) ?? []), file])])
  for (const name of ['handler', 'contract', ...storeNames]) files.delete(name)
  expect([...files].filter(([, places]) => places.length > 1)).toEqual([])
})

it('no name is a participle or adverb alone, or starts with most', () => {
  const forbidden =
    /\b(?:const|let|function|class|type) (?:told|beside|taken|placed|held|known|own|turn)\b|\b[mM]ost[A-Z]\w*/gi
  for (const folder of ['functions', 'shared', 'infra'])
    for (const [file, source] of sourcesBelow(folder)) expect(source.match(forbidden) ?? [], file).toEqual([])
})

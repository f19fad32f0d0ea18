import { expect, it } from 'vitest'
import { importsOf, sourcesBelow } from '#test/support/run/imports.ts'

/** Minimum number of lines of a file with a single importer in its room, such as `shared/table`. A smaller file belongs in that importer. */
const small = 40

const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/')

/** Matches the declaration of a condition property, which must have its own file. */
const declaresProperty = /^export const \w+: ConditionProperty = /m

/** Returns small files whose only importer is in the same room. Operations and condition properties keep their own files. */
function misplaced(sources: Map<string, string>): string[] {
  const importers = new Map([...sources.keys()].map((file) => [file, new Set<string>()]))
  for (const [file, text] of sources) for (const target of importsOf(file, text)) importers.get(target)?.add(file)
  return [...sources].flatMap(([file, text]) => {
    const [only, ...others] = importers.get(file) ?? []
    if (declaresProperty.test(text)) return []
    if (!only || others.length > 0 || roomOf(only) !== roomOf(file) || file.startsWith('functions/')) return []
    return text.split('\n').length - 1 < small ? [`${file} -> ${only}`] : []
  })
}

it('a condition property has its own file', () => {
  for (const [file, text] of sourcesBelow('shared/domain/policies/conditions'))
    expect(text.match(/: ConditionProperty = /g)?.length ?? 0, file).toBeLessThanOrEqual(1)
})

it('a small file with one importer in its room is part of that importer', () => {
  const sources = ['shared', 'infra'].flatMap((folder) => [...sourcesBelow(folder)])
  expect(misplaced(new Map([...sources, ...sourcesBelow('functions')]))).toEqual([])
})

it('detects a small file with one importer, but not a long, shared or imported one of another room', () => {
  const imports = (name: string) => `import { a } from './${name}.ts'\n`
  expect(
    misplaced(
      new Map([
        ['shared/core/one.ts', ['only', 'long', 'both', 'property'].map(imports).join('')],
        ['shared/core/two.ts', `${imports('both')}import { b } from '../values/far.ts'\n`],
        ['shared/core/only.ts', 'export const a = 1\n'],
        ['shared/core/property.ts', 'export const a: ConditionProperty = 1\n'],
        ['shared/core/both.ts', 'export const a = 1\n'],
        ['shared/core/long.ts', 'export const a = 1\n'.repeat(small)],
        ['shared/values/far.ts', 'export const b = 1\n'],
      ]),
    ),
  ).toEqual(['shared/core/only.ts -> shared/core/one.ts'])
})

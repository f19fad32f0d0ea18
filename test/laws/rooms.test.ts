import { expect, it } from 'vitest'
import { importsOf, sourcesBelow } from '#test/support/imports.ts'

/** From the ground up (docs/architecture.md): each room imports only from those before it. */
const rooms = [
  'core',
  'outside',
  'values',
  'table',
  'commit',
  'domain',
  'logs',
  'seal',
  'auth',
  'live',
  'sign-in',
  'access',
  'v0',
  'sync',
  'jobs',
  'http',
]

/** The floor of a file of shared/; -1 where it lies in no room. */
const floorOf = (file: string): number => rooms.indexOf(file.split('/').slice(1, -1)[0] ?? '')

/** Imports that leave shared/, or lead from a room to one above it. */
const upwardArrows = (sources: Map<string, string>): string[] =>
  [...sources].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((target) => !target.startsWith('shared/') || floorOf(target) > floorOf(file))
      .map((target) => `${file} -> ${target}`),
  )

/** Files that import each other in a circle, types included, each circle once. */
function circles(sources: Map<string, string>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) found.push([...path.slice(at), file].join(' -> '))
    if (at >= 0 || done.has(file)) return
    for (const target of importsOf(file, sources.get(file) ?? '')) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of sources.keys()) visit(file, [])
  return found
}

const shared = sourcesBelow('shared')

it('every file of shared/ lies in a room', () => {
  expect([...shared.keys()].filter((file) => floorOf(file) < 0)).toEqual([])
})

it('a room imports only from those below it', () => {
  expect(upwardArrows(shared)).toEqual([])
})

it('no files import each other in a circle', () => {
  expect(circles(new Map([...shared, ...sourcesBelow('functions')]))).toEqual([])
})

it('finds an arrow that runs up, one that leaves, and a circle', () => {
  const planted = new Map([
    ['shared/core/clock.ts', "import { table } from '../table/client.ts'"],
    [
      'shared/table/client.ts',
      "import type { Clock } from '../core/clock.ts'\nimport { handler } from '#functions/operations.ts'",
    ],
  ])
  expect(upwardArrows(planted)).toEqual([
    'shared/core/clock.ts -> shared/table/client.ts',
    'shared/table/client.ts -> functions/operations.ts',
  ])
  expect(circles(planted)).toEqual(['shared/core/clock.ts -> shared/table/client.ts -> shared/core/clock.ts'])
})

it('the tests of shared/ lie as their sources do', () => {
  const folders = new Set([...shared.keys()].map((file) => file.slice(0, file.lastIndexOf('/'))))
  const tests = [...sourcesBelow('test/shared').keys()]
  expect(tests.filter((file) => !folders.has(file.slice('test/'.length, file.lastIndexOf('/'))))).toEqual([])
})

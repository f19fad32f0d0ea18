import { expect, it } from 'vitest'
import { importsOf, sourcesBelow } from '#test/support/run/imports.ts'

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

type Arrows = Map<string, Iterable<string>>

/** What lies on a circle of arrows, each circle once. */
function circles(arrows: Arrows): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (place: string, path: string[]): void => {
    const at = path.indexOf(place)
    if (at >= 0) found.push([...path.slice(at), place].join(' -> '))
    if (at >= 0 || done.has(place)) return
    for (const target of arrows.get(place) ?? []) visit(target, [...path, place])
    done.add(place)
  }
  for (const place of arrows.keys()) visit(place, [])
  return found
}

/** What each file imports, types included. */
const betweenFiles = (sources: Map<string, string>): Arrows =>
  new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]))

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))

/** The same of the folders in which the files lie. */
function betweenFolders(sources: Map<string, string>): Arrows {
  const arrows = new Map<string, Set<string>>()
  for (const [file, text] of sources) {
    const from = folderOf(file)
    const others = importsOf(file, text)
      .map(folderOf)
      .filter((folder) => folder !== from)
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...others]))
  }
  return arrows
}

const shared = sourcesBelow('shared')

it('every file of shared/ lies in a room', () => {
  expect([...shared.keys()].filter((file) => floorOf(file) < 0)).toEqual([])
})

it('a room imports only from those below it', () => {
  expect(upwardArrows(shared)).toEqual([])
})

it('no files import each other in a circle', () => {
  expect(circles(betweenFiles(new Map([...shared, ...sourcesBelow('functions')])))).toEqual([])
})

/** Rooms of folders that know each other, as the nouns of an account do. */
const ofEqualFolders = ['access', 'core', 'domain', 'logs', 'v0']

it.each(rooms.filter((room) => !ofEqualFolders.includes(room)))(
  'no folders of %s/ import each other in a circle',
  (room) => {
    expect(circles(betweenFolders(sourcesBelow(`shared/${room}`)))).toEqual([])
  },
)

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
  expect(circles(betweenFiles(planted))).toEqual([
    'shared/core/clock.ts -> shared/table/client.ts -> shared/core/clock.ts',
  ])
  expect(circles(betweenFolders(planted))).toEqual(['shared/core -> shared/table -> shared/core'])
})

it('the tests of shared/ lie as their sources do', () => {
  const folders = new Set([...shared.keys()].map(folderOf))
  const tests = [...sourcesBelow('test/shared').keys()]
  expect(tests.filter((file) => !folders.has(folderOf(file).slice('test/'.length)))).toEqual([])
})

import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importsOf, sourcesBelow } from '#test/support/run/imports.ts'
import { diagram, roomsOf } from './rooms.ts'

/** Returns the rank of a file's room in its folder's README, from low to high, or -1 if the file is in no room. */
const rankOf = (file: string): number => {
  const [folder = '', room = '', ...rest] = file.split('/')
  return roomsOf(folder).indexOf(rest.length > 0 ? room : 'app.ts')
}

/** Returns imports from a room into a higher room, or from shared/ into a different folder. */
const upwardArrows = (sources: Map<string, string>): string[] =>
  [...sources].flatMap(([file, text]) => {
    const folder = file.slice(0, file.indexOf('/') + 1)
    const targets = importsOf(file, text)
    const leaving = folder === 'shared/' ? targets.filter((target) => !target.startsWith(folder)) : []
    const up = targets.filter((target) => target.startsWith(folder) && rankOf(target) > rankOf(file))
    return [...leaving, ...up].map((target) => `${file} -> ${target}`)
  })

type Arrows = Map<string, Iterable<string>>

function circles(arrows: Arrows): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (node: string, path: string[]): void => {
    const at = path.indexOf(node)
    if (at >= 0) found.push([...path.slice(at), node].join(' -> '))
    if (at >= 0 || done.has(node)) return
    for (const target of arrows.get(node) ?? []) visit(target, [...path, node])
    done.add(node)
  }
  for (const node of arrows.keys()) visit(node, [])
  return found
}

const betweenFiles = (sources: Map<string, string>): Arrows =>
  new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]))

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))

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

const infra = sourcesBelow('infra')

it.each([
  ['shared', shared],
  ['infra', infra],
] as const)('every file of %s/ is in a room, and imports only from lower ones', (_folder, sources) => {
  expect([...sources.keys()].filter((file) => rankOf(file) < 0)).toEqual([])
  expect(upwardArrows(sources)).toEqual([])
})

it('docs/architecture.md shows the rooms of shared/ in the order of their list', () => {
  expect(readFileSync('docs/architecture.md', 'utf8')).toContain(diagram())
})

const exported = (name: string) => new RegExp(`^export (?:async )?(?:const|function|class|type) ${name}\\b`, 'm')

it.each(
  ['shared', 'infra']
    .flatMap((folder) => roomsOf(folder).map((room) => `${folder}/${room}`))
    .filter((path) => !path.endsWith('.ts')),
)('the README of %s has its purpose, its entry points, and only existing files', (path) => {
  const text = readFileSync(`${path}/README.md`, 'utf8')
  expect(text).toMatch(/^# \S+\n\n[A-Z].+\.\n\n(?:- \*\*Types\*\*: .+\n)?- \*\*Entry points\*\*: /)
  const code = [...sourcesBelow(path).values()].join('\n')
  const names = [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
  const missing = names.filter((name) =>
    /[./]/.test(name) ? !existsSync(`${path}/${name}`) && !existsSync(name) : !exported(name).test(code),
  )
  expect(missing).toEqual([])
})

/** True for a file in the upper layer of domain/, which contains the rules that combine several nouns. */
const isRule = (file: string): boolean => file.startsWith('shared/domain/rules/')

it('a noun of domain/ imports no rule across nouns', () => {
  const nouns = [...sourcesBelow('shared/domain')].filter(([file]) => !isRule(file))
  expect(
    nouns.flatMap(([file, text]) =>
      importsOf(file, text)
        .filter(isRule)
        .map((rule) => `${file} -> ${rule}`),
    ),
  ).toEqual([])
  expect([...sourcesBelow('shared/domain/rules').keys()].length).toBeGreaterThan(0)
})

it('no import cycle between files', () => {
  expect(circles(betweenFiles(new Map([...shared, ...sourcesBelow('functions'), ...infra])))).toEqual([])
})

it('no import cycle between folders of infra/', () => {
  expect(circles(betweenFolders(infra))).toEqual([])
})

/** Excludes domain/, because its nouns may import each other. */
it.each(roomsOf('shared').filter((room) => room !== 'domain'))('no import cycle between folders of %s/', (room) => {
  expect(circles(betweenFolders(sourcesBelow(`shared/${room}`)))).toEqual([])
})

it('detects an upward import, one into another folder, and a cycle', () => {
  const planted = new Map([
    ['shared/core/clock.ts', "import { table } from '../table/table.ts'"],
    [
      'shared/table/table.ts',
      "import type { Clock } from '../core/clock.ts'\nimport { handler } from '#functions/operations.ts'",
    ],
  ])
  expect(upwardArrows(planted)).toEqual([
    'shared/core/clock.ts -> shared/table/table.ts',
    'shared/table/table.ts -> functions/operations.ts',
  ])
  expect(circles(betweenFiles(planted))).toEqual([
    'shared/core/clock.ts -> shared/table/table.ts -> shared/core/clock.ts',
  ])
  expect(circles(betweenFolders(planted))).toEqual(['shared/core -> shared/table -> shared/core'])
})

it('the tests of shared/ mirror the paths of their sources', () => {
  const folders = new Set([...shared.keys()].map(folderOf))
  const tests = [...sourcesBelow('test/shared').keys()]
  expect(tests.filter((file) => !folders.has(folderOf(file).slice('test/'.length)))).toEqual([])
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importsOf, sourcesBelow } from '#test/support/run/imports.ts'

type Document = { paths: Record<string, object> }

const { paths }: Document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
const sources = new Map([...sourcesBelow('functions/console')].filter(([file]) => !file.endsWith('/api-types.ts')))

const served = new Set(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  ),
)

/** Replaces the placeholders of a route: kinds of directories, or of auth providers. */
function routesOf(file: string, route: string): string[] {
  const kinds = ['suite', 'tenant', 'idp']
  if (!file.includes('/directories/') && !route.includes('_directories'))
    return ['oidc', 'email_otp', ...kinds].map((kind) =>
      route.replace(/\$\{path\}/, `/${kind}_auth_providers`).replace(/\$\{kind\}/, kind),
    )
  return kinds.map((kind) => route.replace(/\$\{path\}/, `/${kind}_directories`).replace(/\$\{kind\}/, kind))
}

/** Routes named in the sources. */
const called = [...sources].flatMap(([file, text]) =>
  [...text.matchAll(/['`]((?:GET|POST|PUT|PATCH|DELETE) [^'`\s]+)['`]/g)].flatMap(([, named = '']) =>
    routesOf(file, named).map((route) => ({ file, route })),
  ),
)

it('calls only operations of docs/openapi.json (K1.4)', () => {
  expect(called.length).toBeGreaterThan(100)
  expect(called.filter(({ route }) => !served.has(route))).toEqual([])
})

/** Packages that the console may import. Everything else would need a reason and bytes. */
const packages = [
  'react',
  'react-dom/client',
  'react-aria-components',
  '@tanstack/react-query',
  '@observablehq/plot',
  'wouter',
  'wouter/use-browser-location',
]

it('imports only its own files, its packages, and files of shared/ without Node and the table (K2.1)', () => {
  for (const [file, text] of sources) {
    const imported = importsOf(file, text).filter((target) => !target.startsWith('functions/console/'))
    const outside = imported.filter(
      (target) => !target.startsWith('shared/') || /'node:/.test(readFileSync(target, 'utf8')),
    )
    expect(outside, file).toEqual([])
    const names = [...text.matchAll(/from '([^.#'][^']*)'/g)].map(([, name = '']) => name)
    expect(
      names.filter((name) => !packages.includes(name)),
      file,
    ).toEqual([])
  }
})

it('writes no markup as text, and opens no other origin (K4)', () => {
  const forbidden = /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|style=\{/
  for (const [file, text] of sources) expect(forbidden.exec(text)?.[0], file).toBeUndefined()
})

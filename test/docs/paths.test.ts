import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const documents = [
  'README.md',
  'test/support/README.md',
  ...(await readdir('docs', { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]

/** Links to other files, and paths in code marks that begin with a folder of the project; patterns and wildcards are none. */
function namedFiles(document: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
    join(dirname(document), target),
  )
  const marked = [...text.matchAll(/`((?:functions|shared|infra|test|docs|\.ci|\.github)\/[^`\s<>*{}…]*)`/g)]
  return [...links, ...marked.map(([, path = '']) => path)].map((path) => normalize(path))
}

it.each(documents)('%s names files that are there', async (document) => {
  const named = namedFiles(document, await readFile(document, 'utf8'))
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

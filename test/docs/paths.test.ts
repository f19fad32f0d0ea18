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

/** Returns links to other files, and paths in inline code. A path must begin with a project folder and have no wildcards. */
function namedFiles(document: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
    join(dirname(document), target),
  )
  const marked = [...text.matchAll(/`((?:functions|shared|infra|test|docs|\.ci|\.github)\/[^`\s<>*{}…]*)`/g)]
  return [...links, ...marked.map(([, path = '']) => path)].map((path) => normalize(path))
}

it.each(documents)('%s names existing files', async (document) => {
  const references = namedFiles(document, await readFile(document, 'utf8'))
  expect(references.filter((path) => !existsSync(path))).toEqual([])
})

const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

async function anchorsOf(document: string): Promise<string[]> {
  const text = (await readFile(document, 'utf8')).replace(/^```.*?^```/gms, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

/** Returns the headings that a document refers to, either by a link or by a quotation after a file name. */
function namedHeadings(document: string, text: string): [path: string, anchor: string][] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
    .filter(([, target = '']) => target === '' || target.endsWith('.md'))
    .map(([, target = '', anchor = '']): [string, string] => [
      target ? join(dirname(document), target) : document,
      anchor,
    ])
  const words = [...text.matchAll(/`([\w-]+\.md)`,\s+"([^"]+)"/g)].map(
    ([, file = '', heading = '']): [string, string] => {
      const sibling = join(dirname(document), file)
      return [existsSync(sibling) ? sibling : join('docs', file), anchorOf(heading)]
    },
  )
  return [...links, ...words]
}

it.each(documents)('%s refers to existing headings', async (document) => {
  const references = namedHeadings(document, await readFile(document, 'utf8'))
  const missing = await Promise.all(
    references.map(async ([path, anchor]) => ((await anchorsOf(path)).includes(anchor) ? [] : [`${path}#${anchor}`])),
  )
  expect(missing.flat()).toEqual([])
})

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files of a bundle that a file of it imports, at once or later. */
const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )

type Part = { hash: string; imports: string[] }

function readPart(file: string): Part {
  const bytes = readFileSync(file)
  const imports = file.endsWith('.mjs') ? importsOf(file, bytes.toString()) : []
  return { hash: createHash('sha256').update(bytes).digest('hex'), imports }
}

/** The files that a function can load. What is no code lies beside the function that hands it out. */
function filesOf(entry: string, parts: Map<string, Part>): string[] {
  const found = new Set<string>()
  const add = (file: string) => {
    const part = parts.get(file)
    if (!part || found.has(file)) return
    found.add(file)
    for (const path of part.imports) add(path)
  }
  add(entry)
  const beside = [...parts.keys()].filter((file) => dirname(file) === dirname(entry) && !/\.mjs(\.map)?$/.test(file))
  return [...found, ...beside].sort()
}

/** What a function of a bundle can load, as one hash: the rest of the bundle changes nothing for it. */
export type LoadedCode = (handler: string) => string

/** @param directory the bundle, which is read at once: it can be gone by the time that the templates are written */
export function loadedCode(directory: string): LoadedCode {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const parts = new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      return [file, readPart(file)]
    }),
  )
  return (handler) => {
    const loaded = filesOf(join(directory, handler.replace(/\.\w+$/, '.mjs')), parts)
    return createHash('sha256')
      .update(loaded.map((file) => parts.get(file)?.hash).join(' '))
      .digest('hex')
  }
}

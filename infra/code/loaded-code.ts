import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const findImports = (file: string, text: string): string[] =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )

function readPart(file: string) {
  const bytes = readFileSync(file)
  return { digest: hash('sha256', bytes), imports: file.endsWith('.mjs') ? findImports(file, bytes.toString()) : [] }
}

/** Lists the files that a function can load: its imports, and the other files below its folder, which the function may serve. */
function loadableFiles(entry: string, parts: Map<string, ReturnType<typeof readPart>>): string[] {
  const found = new Set<string>()
  const add = (file: string) => {
    const part = parts.get(file)
    if (!part || found.has(file)) return
    found.add(file)
    for (const path of part.imports) add(path)
  }
  add(entry)
  const servedFiles = [...parts.keys()].filter(
    (file) => file.startsWith(join(dirname(entry), '/')) && !/\.mjs(\.map)?$/.test(file),
  )
  return [...found, ...servedFiles].sort()
}

/** Returns a hash of the bundle files that a function can load. Changes to other files do not change the hash. */
export type LoadedCode = (handler: string) => string

/** Creates the hash function for a bundle. Reads the files immediately, because they are deleted before the templates are written. */
export function loadedCode(directory: string): LoadedCode {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const parts = new Map(paths.map((path) => [path, readPart(path)]))
  return (handler) => {
    const loadedFiles = loadableFiles(join(directory, handler.replace(/\.\w+$/, '.mjs')), parts)
    return hash('sha256', loadedFiles.map((file) => parts.get(file)?.digest).join(' '))
  }
}

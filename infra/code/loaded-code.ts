import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files of a bundle that a file of it imports, at once or later. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path = '']) => path)

/** What is no code lies beside the function that hands it out. */
const filesBeside = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.mjs'))
        .map(({ name }) => join(directory, name))
    : []

/** The files that a function can load. */
function filesOf(entry: string): string[] {
  const found = new Set<string>()
  const add = (file: string) => {
    if (found.has(file) || !existsSync(file)) return
    found.add(file)
    for (const path of importsOf(readFileSync(file, 'utf8'))) add(join(dirname(file), path))
  }
  add(entry)
  return [...found, ...filesBeside(dirname(entry))].sort()
}

/** What a function of a bundle can load, as one hash: the rest of the bundle changes nothing for it. */
export type LoadedCode = (handler: string) => string

/** @param directory the bundle */
export function loadedCode(directory: string): LoadedCode {
  const hashes = new Map<string, string>()
  const hashOf = (file: string): string => {
    const known = hashes.get(file)
    if (known) return known
    const made = createHash('sha256').update(readFileSync(file)).digest('hex')
    hashes.set(file, made)
    return made
  }
  return (handler) => {
    const files = filesOf(join(directory, handler.replace(/\.\w+$/, '.mjs')))
    return createHash('sha256').update(files.map(hashOf).join(' ')).digest('hex')
  }
}

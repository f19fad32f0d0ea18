import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** Reads the source files below a folder. Returns their contents, keyed by path from the repository root. */
export function sourcesBelow(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('node_modules'),
  )
  return new Map(names.map((name) => [posix.join(folder, name), readFileSync(posix.join(folder, name), 'utf8')]))
}

const specifier = /(?:^(?:import|export|\})[^'\n]*|\bimport\()'(\.{1,2}\/[^']+|#[^']+)'/gm

/** Lists the repository files that a source file imports, including type imports. */
export const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(specifier)].map(([, name = '']) =>
    name.startsWith('#') ? name.slice(1) : posix.join(posix.dirname(file), name),
  )

import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** The source files below a folder of the repository, as paths from its root, each with its text. */
export function sourcesBelow(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('node_modules'),
  )
  return new Map(names.map((name) => [posix.join(folder, name), readFileSync(posix.join(folder, name), 'utf8')]))
}

const specifier = /(?:^(?:import|export|\})[^'\n]*|\bimport\()'(\.{1,2}\/[^']+|#[^']+)'/gm

/** What a file imports of this repository, types included. */
export const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(specifier)].map(([, name = '']) =>
    name.startsWith('#') ? name.slice(1) : posix.join(posix.dirname(file), name),
  )

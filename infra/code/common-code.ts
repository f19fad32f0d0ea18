import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** What so large a part of the functions uses lies in one file for all. */
const usedByMany = 1 / 5

/** The modules that a function loads before its first request. */
function reached({ inputs }: Metafile, entry: string): Set<string> {
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const { path: next, kind, external } of inputs[path]?.imports ?? [])
      if (!external && kind !== 'dynamic-import') visit(next)
  }
  visit(entry)
  return found
}

/** The service's own modules that many of the entries use. Packages follow them. */
export function commonModules(metafile: Metafile, entries: string[]): string[] {
  const uses = new Map<string, number>()
  for (const entry of entries) for (const path of reached(metafile, entry)) uses.set(path, (uses.get(path) ?? 0) + 1)
  const common = [...uses].filter(([path, count]) => count >= entries.length * usedByMany && !/node_modules/.test(path))
  return common.map(([path]) => path).sort()
}

/**
 * Makes the bundler put these modules into one file: it makes one of all that the same entries reach. Left alone, it makes one
 * for each way in which entries share modules, fifty for a function, and to find and load a file costs a start more than what
 * is in it. Importing a module has no effect, so a function bears one that it does not use.
 */
export function inOneFile(root: string, modules: string[], entries: string[]): Plugin {
  const paths = new Set(entries.map((entry) => resolve(root, entry)))
  return {
    name: 'common code',
    setup(build) {
      build.onResolve({ filter: /^common-code$/ }, ({ path }) => ({ path, namespace: 'common' }))
      build.onLoad({ filter: /./, namespace: 'common' }, () => ({
        contents: modules.map((path) => `import ${JSON.stringify(resolve(root, path))}\n`).join(''),
        resolveDir: root,
      }))
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        paths.has(path)
          ? { contents: `import 'common-code';${await readFile(path, 'utf8')}`, loader: 'ts' }
          : undefined,
      )
    },
  }
}

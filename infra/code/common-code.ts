import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** Minimum share of functions that must use a module for it to be in the common file. */
const minShare = 1 / 5

function modulesOf({ inputs }: Metafile, entry: string): Set<string> {
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

/** Lists the service's own modules that many entries use. Packages are bundled with the modules that import them. */
export function commonModules(metafile: Metafile, entries: string[]): string[] {
  const uses = new Map<string, number>()
  for (const entry of entries) for (const path of modulesOf(metafile, entry)) uses.set(path, (uses.get(path) ?? 0) + 1)
  const common = [...uses].filter(([path, count]) => count >= entries.length * minShare && !/node_modules/.test(path))
  return common.map(([path]) => path).sort()
}

/**
 * Bundles the given modules into one file, by importing all of them in every entry. By default, esbuild creates a file for each combination
 * of entries that share modules, so a function would load about fifty. At a cold start, opening a file costs more than loading its content.
 * Importing unused modules is safe, because they have no side effects.
 */
export function bundleCommonCode(root: string, modules: string[], entries: string[]): Plugin {
  const paths = new Set(entries.map((entry) => resolve(root, entry)))
  return {
    name: 'common code',
    setup(build) {
      build.onResolve({ filter: /^common-code$/ }, ({ path }) => ({ path, namespace: 'common' }))
      build.onLoad({ filter: /./, namespace: 'common' }, () => ({
        contents: modules.map((path) => `import ${JSON.stringify(resolve(root, path))}\n`).join(''),
        resolveDir: root,
      }))
      build.onLoad({ filter: /[\\/]functions[\\/].+\.ts$/ }, ({ path }) =>
        paths.has(path) ? { contents: `import 'common-code';${readFileSync(path, 'utf8')}`, loader: 'ts' } : undefined,
      )
    },
  }
}

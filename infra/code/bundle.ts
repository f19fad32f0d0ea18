import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type OutputFile } from 'esbuild'
import type { OperationSource } from '#functions/operations.ts'
import { commonModules, inOneFile } from './common-code.ts'
import { publicRoutes, signInPages } from './public-routes.ts'
import { builtInModules, unusedParts } from './replaced-modules.ts'

const root = fileURLToPath(new URL('../../functions/', import.meta.url))

/** Functions that no operation stands for: consumers, tasks, public pages, and what answers other routes. */
export async function plainFunctions(): Promise<string[]> {
  const files = await readdir(root, { recursive: true })
  return files
    .filter((file) =>
      /^(streams|tasks|schedules|public|live)\/[^/]+\.ts$|^(api\/unknown|v0\/other)-route\.ts$/.test(file),
    )
    .sort()
}

/** Path pattern → methods, for the answer 405 with `Allow`. */
export function routeTable(operations: OperationSource[], otherRoutes: string[] = []): Record<string, string[]> {
  const routes = [
    ...operations.flatMap(({ operation: { method, alias, path } }) =>
      [method, ...(alias ? [alias] : [])].map((name) => [name, path]),
    ),
    ...otherRoutes.map((route) => route.split(' ')),
  ]
  const table: Record<string, string[]> = {}
  for (const [method = '', path = ''] of routes) table[path] = [...(table[path] ?? []), method].sort()
  return table
}

const otherRoutes = Object.keys({ ...publicRoutes, ...signInPages })

/** The renderer of the reference. Its logo is not requested from a CDN, which the policy of the page refuses. */
async function renderer(): Promise<string> {
  const script = await readFile(new URL(import.meta.resolve('redoc/bundles/redoc.standalone.js')), 'utf8')
  return script.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')
}

/** Puts the files that public functions hand out beside them, with the rights of a new file and not of those they come from. */
async function copyPublicFiles(outdir: string): Promise<void> {
  const files = [
    new URL('../../functions/public/docs.html', import.meta.url),
    new URL('../../docs/openapi.json', import.meta.url),
  ]
  await mkdir(join(outdir, 'public'), { recursive: true })
  await Promise.all(
    files.map(async (file) => writeFile(join(outdir, 'public', basename(fileURLToPath(file))), await readFile(file))),
  )
  await writeFile(join(outdir, 'public', 'redoc.standalone.js'), await renderer())
}

const repository = dirname(root)

/** The output directory for esbuild, always the same: names of files depend on the way from it to the sources. */
const made = join(repository, 'bundle')

/** A map that names its sources as the repository does. */
function sourceMap({ path, text }: OutputFile): string {
  const map: { sources: string[] } = JSON.parse(text)
  const sources = map.sources.map((source) => relative(repository, resolve(dirname(path), source)))
  return JSON.stringify({ ...map, sources })
}

/** Bundles all functions into one directory: what many use in one file, what a few use in a file for those. */
export async function bundle(operations: OperationSource[], outdir: string): Promise<void> {
  const files = [...new Set([...operations.map(({ file }) => file), ...(await plainFunctions())])]
  const options = {
    absWorkingDir: root,
    entryPoints: files,
    outdir: made,
    write: false,
    outbase: root,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node24',
    conditions: ['module'],
    mainFields: ['module', 'main'],
    // As text, which the bundler puts where it is used: an object would lie in a file that every function loads.
    define: { ROUTE_TABLE: JSON.stringify(JSON.stringify(routeTable(operations, otherRoutes))) },
    // Beside the code, and not named in it: an error's stack is read with them (shared/core/logging/readable-stack.ts), a start is not.
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'warning',
    legalComments: 'none',
  } satisfies BuildOptions
  // Finds what functions share, so packages, which take most of the time, are left out.
  const graph = { metafile: true, sourcemap: false, minify: false, packages: 'external' } satisfies BuildOptions
  const { metafile } = await build({ ...options, ...graph })
  const { outputFiles } = await build({
    ...options,
    plugins: [builtInModules, unusedParts, inOneFile(root, commonModules(metafile, files), files)],
  })
  await Promise.all(
    outputFiles.map(async (file) => {
      const path = join(outdir, relative(made, file.path))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, path.endsWith('.map') ? sourceMap(file) : file.contents)
    }),
  )
  await copyPublicFiles(outdir)
}

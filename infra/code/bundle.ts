import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild'
import type { RoutedSource } from '#functions/operations.ts'
import { bundleCommonCode, commonModules } from './common-code.ts'
import { writeConsole } from './console-files.ts'
import { publicRoutes, signInPages } from './public-routes.ts'
import { builtInModules, unusedParts } from './replaced-modules.ts'

const root = fileURLToPath(new URL('../../functions/', import.meta.url))

/** Lists the files of functions that are not operations, such as consumers, schedules and tasks. */
export async function plainFunctions(): Promise<string[]> {
  const files = await readdir(root, { recursive: true })
  return files
    .filter((file) =>
      /^(streams|tasks|schedules|public|live)\/[^/]+\.ts$|^(api\/unknown|v0\/other)-route\.ts$/.test(file),
    )
    .sort()
}

/** Maps path patterns to their methods, for the `Allow` header of a 405. */
export function routeTable(operations: RoutedSource[], otherRoutes: string[] = []): Record<string, string[]> {
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

/** Reads the script of the API reference. Replaces the URL of its logo, which the content security policy would block. */
async function renderer(): Promise<string> {
  const script = await readFile(new URL(import.meta.resolve('redoc/bundles/redoc.standalone.js')), 'utf8')
  return script.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')
}

/** Writes the files that public functions serve. The copies get default permissions instead of the permissions of the source files. */
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

/** Output directory for esbuild. The path is constant, because output file names depend on the relative path to the sources. */
const buildDirectory = join(repository, 'bundle')

/**
 * Makes the sources relative to the repository by removing `../`, because the build directory and all sources are below it. Edits the text,
 * because parsing all source maps takes 150 ms.
 */
const sourceMap = ({ text }: OutputFile): string => text.replaceAll(/(?<=")(?:\.\.\/)+/g, '')

/** Options of esbuild for a bundle of ES modules with shared files. Prefers packages' ES modules, from which esbuild removes unused code. */
export const moduleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  conditions: ['module'],
  mainFields: ['module', 'main'],
  legalComments: 'none',
} satisfies BuildOptions

/** Finds the modules of functions without bundling packages, which takes most of the time. */
async function moduleGraph(entryPoints: string[]): Promise<Metafile> {
  const options = { ...moduleOptions, absWorkingDir: root, outdir: buildDirectory, outbase: root, entryPoints }
  return (await build({ ...options, packages: 'external', metafile: true, write: false })).metafile
}

/**
 * Bundles all functions into one directory. Modules used by many functions share one file.
 * @param metafile esbuild's metafile of a bundle that contains all functions, with paths relative to the folder `functions`
 */
export async function bundle(operations: RoutedSource[], outdir: string, metafile?: Metafile): Promise<void> {
  const files = [...new Set([...operations.map(({ file }) => file), ...(await plainFunctions())])]
  const common = commonModules(metafile ?? (await moduleGraph(files)), files)
  const options = {
    absWorkingDir: root,
    entryPoints: files,
    outdir: buildDirectory,
    write: false,
    outbase: root,
    ...moduleOptions,
    minify: true,
    // Passes the table as a string, which esbuild inlines where it is used. An object would end up in a file that every function loads.
    define: { ROUTE_TABLE: JSON.stringify(JSON.stringify(routeTable(operations, otherRoutes))) },
    // Writes separate source map files, which are loaded only to make an error's stack readable (shared/core/logging/readable-stack.ts).
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'warning',
  } satisfies BuildOptions
  const { outputFiles } = await build({
    ...options,
    plugins: [builtInModules, unusedParts, bundleCommonCode(root, common, files)],
  })
  // Writes synchronously, because a thread pool takes more CPU time for hundreds of small files.
  for (const file of outputFiles) {
    const path = join(outdir, relative(buildDirectory, file.path))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? sourceMap(file) : file.contents)
  }
  await Promise.all([copyPublicFiles(outdir), writeConsole(join(outdir, 'public/console'))])
}

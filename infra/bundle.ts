import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { OperationSource } from '#functions/operations.ts'
import { publicRoutes } from './public-routes.ts'

const root = fileURLToPath(new URL('../functions/', import.meta.url))

/** Functions that no operation stands for: consumers, tasks, public pages, and what answers other routes. */
export async function plainFunctions(): Promise<string[]> {
  const files = await readdir(root, { recursive: true })
  return files
    .filter((file) => /^(streams|tasks|schedules|public)\/[^/]+\.ts$|^(api\/unknown|v0\/other)-route\.ts$/.test(file))
    .sort()
}

/** Path pattern → methods, for the answer 405 with `Allow`. */
export function routeTable(operations: OperationSource[]): Record<string, string[]> {
  const table: Record<string, string[]> = {}
  for (const { operation } of operations) {
    const methods = [operation.method, ...(operation.alias ? [operation.alias] : [])]
    table[operation.path] = [...(table[operation.path] ?? []), ...methods].sort()
  }
  return table
}

const publicRouteTable = (): Record<string, string[]> =>
  Object.fromEntries(
    Object.keys(publicRoutes)
      .map((route) => route.split(' '))
      .map(([method = '', path = '']) => [path, [method]]),
  )

/** Puts the files that public functions hand out beside them. */
async function copyPublicFiles(outdir: string): Promise<void> {
  const files = [
    new URL('../functions/public/docs.html', import.meta.url),
    new URL('../docs/openapi.json', import.meta.url),
    new URL(import.meta.resolve('redoc/bundles/redoc.standalone.js')),
  ]
  await mkdir(join(outdir, 'public'), { recursive: true })
  await Promise.all(files.map((file) => copyFile(file, join(outdir, 'public', basename(fileURLToPath(file))))))
}

/** Bundles all functions in one run into one directory; shared code is split into chunks that every function loads. */
export async function bundle(operations: OperationSource[], outdir: string): Promise<void> {
  const files = [...new Set([...operations.map(({ file }) => file), ...(await plainFunctions())])]
  await build({
    absWorkingDir: root,
    entryPoints: files,
    outdir,
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
    // Dependencies that are CommonJS ask for Node's own modules through `require`.
    banner: {
      js: "import{createRequire as _require$}from'node:module';const require=_require$(import.meta.url);",
    },
    define: { ROUTE_TABLE: JSON.stringify({ ...routeTable(operations), ...publicRouteTable() }) },
    logLevel: 'warning',
    legalComments: 'none',
  })
  await copyPublicFiles(outdir)
}

import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { OperationSource } from '#functions/operations.ts'

const root = fileURLToPath(new URL('../functions/', import.meta.url))

/** Functions that no operation stands for: consumers, tasks, and what answers unknown routes. */
export async function plainFunctions(): Promise<string[]> {
  const files = await readdir(root, { recursive: true })
  return files.filter((file) => /^(streams|tasks|schedules)\/[^/]+\.ts$|^api\/unknown-route\.ts$/.test(file)).sort()
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
    // What is CommonJS among the dependencies asks for Node's own modules through `require`.
    banner: {
      js: "import{createRequire as bundledRequire$}from'node:module';const require=bundledRequire$(import.meta.url);",
    },
    define: { ROUTE_TABLE: JSON.stringify(routeTable(operations)) },
    logLevel: 'warning',
    legalComments: 'none',
  })
}

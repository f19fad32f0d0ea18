import { readdir } from 'node:fs/promises'
import type { Operation } from '#shared/http/operation.ts'

/** An operation and where it stands: `file` is relative to `functions/`, its export `handler` is the Lambda entry. */
export type OperationSource = { operation: Operation; file: string; exportName: string }

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'handle' in value && 'path' in value

async function load(file: string): Promise<OperationSource[]> {
  const module: Record<string, unknown> = await import(new URL(file, import.meta.url).href)
  return Object.entries(module).flatMap(([exportName, value]) =>
    isOperation(value) ? [{ operation: value, file, exportName }] : [],
  )
}

/** Every operation of the service, in the order of its path: the one list that feeds routes, permissions, OpenAPI and laws. */
export async function loadOperations(): Promise<OperationSource[]> {
  const root = new URL('.', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter((file) =>
    /^(api|v0|sign-in)\/[^/]+\/[^/]+\.ts$/.test(file),
  )
  const loaded = await Promise.all(files.sort().map(load))
  return loaded.flat().sort((a, b) => sortKey(a).localeCompare(sortKey(b)))
}

const sortKey = ({ operation }: OperationSource): string => `${operation.path} ${operation.method}`

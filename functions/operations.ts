import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Endpoint, Family } from '#shared/http/lambda.ts'
import type { Operation } from '#shared/http/operation.ts'

/** An operation and its file, relative to `functions/`. The export `handler` of the file is the Lambda entry point. */
export type OperationSource = {
  operation: Operation
  file: string
  /** Name in the OpenAPI document and in clients generated from it, such as `updateGroup`. */
  operationId: string
}

/** Builds the operation id. For example, `list-runs.ts` and the kind `idp_directory` give `listIdpDirectoryRuns`. */
function buildOperationId(file: string, kind: string): string {
  const [verb = '', ...noun] = basename(file, '.ts').split('-')
  const words = [...kind.split('_'), ...noun].filter(Boolean)
  return verb + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

async function load(file: string): Promise<OperationSource[]> {
  const { handler }: { handler: Endpoint | Family } = await import(new URL(file, import.meta.url).href)
  const operations = 'operations' in handler ? handler.operations : { '': handler.operation }
  return Object.entries(operations).map(([kind, operation]) => ({
    operation,
    file,
    operationId: buildOperationId(file, kind),
  }))
}

/** Loads all operations, sorted by path. Routes, permissions, the OpenAPI document and laws are derived from them. */
export async function loadOperations(): Promise<OperationSource[]> {
  const root = new URL('.', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter((file) =>
    /^(api|v0|sign-in)\/[^/]+\/[^/]+\.ts$/.test(file),
  )
  const sources = await Promise.all(files.sort().map(load))
  return sources.flat().sort((a, b) => sortKey(a).localeCompare(sortKey(b)))
}

const sortKey = ({ operation }: OperationSource): string => `${operation.path} ${operation.method}`

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

/** Parts of an operation from which its route, its function and its permissions are derived. */
type RoutedOperation = Pick<Operation, 'method' | 'path' | 'alias' | 'family' | 'summary' | 'credential' | 'permission'>

/** Operation without code and schemas, so that it can be sent to another thread. */
export type RoutedSource = { operation: RoutedOperation; file: string }

export const toRoutedSource = ({ operation, file }: OperationSource): RoutedSource => {
  const { method, path, alias, family, summary, credential, permission } = operation
  return { operation: { method, path, alias, family, summary, credential, permission }, file }
}

/** Builds the operation id. For example, `list-runs.ts` and the kind `idp_directory` give `listIdpDirectoryRuns`. */
function buildOperationId(file: string, kind: string): string {
  const [verb = '', ...noun] = basename(file, '.ts').split('-')
  const words = [...kind.split('_'), ...noun].filter(Boolean)
  return verb + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

type Handler = Endpoint | Family

function toSources(file: string, handler: Handler): OperationSource[] {
  const operations = 'operations' in handler ? handler.operations : { '': handler.operation }
  return Object.entries(operations).map(([kind, operation]) => ({
    operation,
    file,
    operationId: buildOperationId(file, kind),
  }))
}

const root = new URL('.', import.meta.url)

/** Lists the files of operations, relative to `functions/`. */
export async function operationFiles(): Promise<string[]> {
  const files = await readdir(root, { recursive: true })
  return files.filter((file) => /^(api|v0|sign-in)\/[^/]+\/[^/]+\.ts$/.test(file)).sort()
}

async function importHandlers(): Promise<Record<string, Handler>> {
  const files = await operationFiles()
  const modules = await Promise.all(files.map((file) => import(new URL(file, root).href)))
  return Object.fromEntries(modules.map(({ handler }, index) => [files[index], handler]))
}

/**
 * Loads all operations, sorted by path. Routes, permissions, the OpenAPI document and laws are derived from them.
 *
 * @param handlers the export `handler` of each file, for files that were bundled
 */
export async function loadOperations(handlers?: Record<string, Handler>): Promise<OperationSource[]> {
  const found = handlers ?? (await importHandlers())
  const sources = Object.entries(found).flatMap(([file, handler]) => toSources(file, handler))
  return sources.sort((a, b) => sortKey(a).localeCompare(sortKey(b)))
}

const sortKey = ({ operation }: OperationSource): string => `${operation.path} ${operation.method}`

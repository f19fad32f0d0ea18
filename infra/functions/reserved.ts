import type { OperationSource } from '#functions/operations.ts'
import { callbackPath } from '#shared/domain/auth-providers/callback-uri.ts'
import type { Settings } from '../settings/settings.ts'

/** What Lambda is told of a setting of concurrency. */
export const reserved = (concurrency: number | 'none'): number | undefined =>
  concurrency === 'none' ? undefined : concurrency

/** Reserved concurrency of an operation: flow reports, and both callbacks of sign-in, which wait for providers. */
export function reservedOf({ credential, path }: OperationSource['operation'], settings: Settings): number | undefined {
  if (credential === 'ingest') return reserved(settings.ingestConcurrency)
  return path.startsWith(callbackPath(null)) ? reserved(settings.callbackConcurrency) : undefined
}

/** Sum of what the functions of a deployment reserve: operations, two consumers of the table's stream, and that of the flows. */
export const reservedTogether = (operations: OperationSource[], settings: Settings): number =>
  [
    ...operations.map(({ operation }) => reservedOf(operation, settings)),
    ...[settings.changeConcurrency, settings.changeConcurrency, settings.flowConcurrency].map(reserved),
  ].reduce<number>((sum, concurrency) => sum + (concurrency ?? 0), 0)

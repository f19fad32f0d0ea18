import type { OperationSource } from '#functions/operations.ts'
import { callbackPath } from '#shared/domain/auth-providers/auth-provider.ts'
import { signInPages } from '../code/public-routes.ts'
import type { Settings } from '../settings/settings.ts'

/** A setting of concurrency as Lambda takes it. */
export const reserved = (concurrency: number | 'none'): number | undefined =>
  concurrency === 'none' ? undefined : concurrency

/**
 * Reserved concurrency of an operation. Flow reports, sessions and authorizations of devices, and each step of a sign-in have
 * some: a crowd at any other operation takes nothing from them. Callbacks have most, because they wait for providers.
 */
export function reservedOf(
  { method, path, credential }: OperationSource['operation'],
  settings: Settings,
): number | undefined {
  if (credential === 'ingest') return reserved(settings.ingestConcurrency)
  if (path.startsWith(callbackPath(null))) return reserved(settings.callbackConcurrency)
  if (path.startsWith('/sign_in/')) return reserved(settings.signInConcurrency)
  const ofDevice = credential === 'client' || credential === 'gateway'
  return ofDevice && (method === 'POST' || method === 'PUT') ? reserved(settings.deviceConcurrency) : undefined
}

/** Sum of the reservations of a deployment: operations, pages of sign-in, consumers of the table's stream and of the flows. */
export const reservedTogether = (operations: OperationSource[], settings: Settings): number =>
  [
    ...operations.map(({ operation }) => reservedOf(operation, settings)),
    ...[...new Set(Object.values(signInPages))].map(() => reserved(settings.signInConcurrency)),
    ...[settings.changeConcurrency, settings.changeConcurrency, settings.flowConcurrency].map(reserved),
  ].reduce<number>((sum, concurrency) => sum + (concurrency ?? 0), 0)

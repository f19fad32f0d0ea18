import type { RoutedSource } from '#functions/operations.ts'
import { callbackPath } from '#shared/domain/auth-providers/auth-provider.ts'
import { signInPages } from '../code/public-routes.ts'
import type { Settings } from '../settings/settings.ts'

export const toReservation = (concurrency: number | 'none'): number | undefined =>
  concurrency === 'none' ? undefined : concurrency

/**
 * Returns the reserved concurrency of an operation; undefined for no reservation. Flow reports, device requests and sign-ins have
 * reservations, so that a spike in other operations cannot starve them. Callbacks have a separate setting, because they wait for providers.
 */
export function reservationOf(
  { method, path, credential }: RoutedSource['operation'],
  settings: Settings,
): number | undefined {
  if (credential === 'ingest') return toReservation(settings.ingestConcurrency)
  if (path.startsWith(callbackPath(null))) return toReservation(settings.callbackConcurrency)
  if (path.startsWith('/sign_in/') && credential !== 'session') return toReservation(settings.signInConcurrency)
  const ofDevice = credential === 'client' || credential === 'gateway'
  return ofDevice && (method === 'POST' || method === 'PUT') ? toReservation(settings.deviceConcurrency) : undefined
}

export const totalReserved = (operations: RoutedSource[], settings: Settings): number =>
  [
    ...operations.map(({ operation }) => reservationOf(operation, settings)),
    ...[...new Set(Object.values(signInPages))].map(() => toReservation(settings.signInConcurrency)),
    ...[settings.changeConcurrency, settings.changeConcurrency, settings.flowConcurrency].map(toReservation),
  ].reduce<number>((sum, concurrency) => sum + (concurrency ?? 0), 0)

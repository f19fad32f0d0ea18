import type { OperationSource } from '#functions/operations.ts'
import type { Settings } from '../settings/settings.ts'
import { routeKeys } from './route-id.ts'

type Limit = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }

const limit = (ThrottlingRateLimit: number, ThrottlingBurstLimit: number): Limit => ({
  ThrottlingRateLimit,
  ThrottlingBurstLimit,
})

/**
 * Limits of single routes by their keys (docs/decisions/0035). Anonymous callers get little, by route. Devices and their
 * reports have limits of their own, so that no other request uses these up, should the default limit be one for all routes.
 */
export function routeLimits(
  operations: OperationSource[],
  withoutCredential: string[],
  { throttleRate, throttleBurst, anonymousRate, anonymousBurst, ingestRate, ingestBurst }: Settings,
): Record<string, Limit> {
  const ofDevice = limit(throttleRate, throttleBurst)
  const anonymous = limit(anonymousRate, anonymousBurst)
  const byCredential: Record<string, Limit> = {
    none: anonymous,
    client: ofDevice,
    gateway: ofDevice,
    ingest: limit(ingestRate, ingestBurst),
  }
  const ofOperations = operations.flatMap(({ operation }) => {
    const own = byCredential[operation.credential ?? 'api']
    return own ? routeKeys(operation).map((key): [string, Limit] => [key, own]) : []
  })
  return Object.fromEntries([...ofOperations, ...withoutCredential.map((key): [string, Limit] => [key, anonymous])])
}

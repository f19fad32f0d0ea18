import type { OperationSource } from '#functions/operations.ts'
import type { Settings } from '../settings/settings.ts'
import { routeKeys } from './route-id.ts'

type Limit = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }

/**
 * Limits of single routes by their keys (docs/decisions/0035). Anonymous callers get little, by route. Devices and their
 * reports have limits of their own, so that no other request uses these up, should the default limit be one for all routes.
 */
export function routeLimits(
  operations: OperationSource[],
  withoutCredential: string[],
  { throttleRate, throttleBurst, anonymousRate, anonymousBurst, ingestRate, ingestBurst }: Settings,
): Record<string, Limit> {
  const limit = (rate: number, burst: number): Limit => ({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst })
  const ofDevice = limit(throttleRate, throttleBurst)
  const none = limit(anonymousRate, anonymousBurst)
  const ingest = limit(ingestRate, ingestBurst)
  const limits: Record<string, Limit | undefined> = { none, client: ofDevice, gateway: ofDevice, ingest }
  const limited = operations.flatMap(({ operation }) => {
    const own = limits[operation.credential ?? 'api']
    return own ? routeKeys(operation).map((key) => [key, own] as const) : []
  })
  return Object.fromEntries([...limited, ...withoutCredential.map((key) => [key, none] as const)])
}

import type { RoutedSource } from '#functions/operations.ts'
import type { Settings } from '../settings/settings.ts'
import { routeKeys } from './route-id.ts'

type Limit = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }

/**
 * Builds the rate limits of routes, by route key (docs/decisions/0035). Anonymous routes have low limits. Device routes and flow reports
 * have their own limits, which other requests cannot use up.
 */
export function routeLimits(
  operations: RoutedSource[],
  withoutCredential: string[],
  { throttleRate, throttleBurst, anonymousRate, anonymousBurst, ingestRate, ingestBurst }: Settings,
): Record<string, Limit> {
  const limit = (rate: number, burst: number): Limit => ({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst })
  const ofDevice = limit(throttleRate, throttleBurst)
  const anonymous = limit(anonymousRate, anonymousBurst)
  const ingest = limit(ingestRate, ingestBurst)
  const limits: Record<string, Limit | undefined> = { none: anonymous, client: ofDevice, gateway: ofDevice, ingest }
  const limitedRoutes = operations.flatMap(({ operation }) => {
    const limitOfCaller = limits[operation.credential ?? 'api']
    return limitOfCaller ? routeKeys(operation).map((key) => [key, limitOfCaller] as const) : []
  })
  return Object.fromEntries([...limitedRoutes, ...withoutCredential.map((key) => [key, anonymous] as const)])
}

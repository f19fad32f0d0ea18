import type { Usage } from '../measure/usage.ts'
import { prices } from './prices.ts'

/**
 * Bytes of log per request: the service's line without and with metrics, three lines of Lambda, and one of the access
 * log.
 */
export const lineBytes = { own: 640, metrics: 200, lambda: 350, access: 500 }

/** Log volume of function runs and API requests, in GB. */
export const logGbOf = ({ lambdaRequests, httpRequests }: Pick<Usage, 'lambdaRequests' | 'httpRequests'>): number =>
  (lambdaRequests * (lineBytes.own + lineBytes.lambda) + httpRequests * lineBytes.access) / 1e9

export const logUsdOf = (usage: Pick<Usage, 'lambdaRequests' | 'httpRequests'>): number => logGbOf(usage) * prices.logGb

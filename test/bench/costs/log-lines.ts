import type { Usage } from '../measure/usage.ts'
import { prices } from './prices.ts'

/** Log bytes per request: the service's line, the metrics in this line, Lambda's three lines, and the access log line. */
export const lineBytes = { own: 640, metrics: 200, lambda: 350, access: 500 }

export const logGbOf = ({ lambdaRequests, httpRequests }: Pick<Usage, 'lambdaRequests' | 'httpRequests'>): number =>
  (lambdaRequests * (lineBytes.own + lineBytes.lambda) + httpRequests * lineBytes.access) / 1e9

export const logUsdOf = (usage: Pick<Usage, 'lambdaRequests' | 'httpRequests'>): number => logGbOf(usage) * prices.logGb

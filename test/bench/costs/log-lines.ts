import type { Usage } from '../measure/usage.ts'
import { prices } from './prices.ts'

/** Bytes of the lines that a request leaves: its own with and without metrics, three of Lambda, one of the access log. */
export const lineBytes = { own: 640, metrics: 200, lambda: 350, access: 500 }

/** GB of the lines that runs of functions and requests of the API leave. */
export const logGbOf = ({ lambdaRequests, httpRequests }: Pick<Usage, 'lambdaRequests' | 'httpRequests'>): number =>
  (lambdaRequests * (lineBytes.own + lineBytes.lambda) + httpRequests * lineBytes.access) / 1e9

export const logUsdOf = (usage: Pick<Usage, 'lambdaRequests' | 'httpRequests'>): number => logGbOf(usage) * prices.logGb

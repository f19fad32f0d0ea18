import type { Answer } from '../exchange.ts'

/** Leads a browser on, with the method `GET`. Nobody keeps where, and it is not told from where. */
export const leadTo = (address: string): Answer => ({
  statusCode: 303,
  headers: { location: address, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
})

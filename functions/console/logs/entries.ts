import type { Operations } from '../client/api-types.ts'

type Answered = Operations['GET /logs/{log_id}']['answer']['data']
type Counter = 'rx_bytes' | 'tx_bytes' | 'rx_packets' | 'tx_packets'

export type Change = Extract<Answered, { type: 'change' }>
export type Activity = Extract<Answered, { type: 'session' | 'api_request' }>
/** Flow with counters that are exact to 64 bits (K4.3). */
export type Flow = Omit<Extract<Answered, { type: 'flow' }>, Counter> & Record<Counter, bigint | null>
export type Entry = Change | Activity | Flow

/** Screens of the streams, by the first character of their log ids (L4). */
export const streamAddresses: Record<string, string> = { c: '/changes', '5': '/sessions', a: '/requests', f: '/flows' }

export const entryAddress = (logId: string): string => `${streamAddresses[logId.charAt(0)]}/${logId}`

/** Returns the time in a log id as an RFC 3339 text, in milliseconds (L4). */
export const timeOf = (logId: string): string =>
  new Date(Math.floor(Number.parseInt(logId.slice(1, 14), 16) / 1000)).toISOString()

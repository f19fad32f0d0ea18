import type { LogStream } from '../../logs/log-id.ts'

/** The two logs of an account that are sealed (S1.1). */
export const sealedLogs = ['changes', 'activity'] as const
export type SealedLog = (typeof sealedLogs)[number]

/** The streams of which settled hours are sealed, in the order of their leaves (S1.3). */
export const hourStreams = ['api_request', 'session'] as const
export type HourStream = (typeof hourStreams)[number]

/** The sealed log that an entry belongs to; null for flows, which change once (S1.4). */
export const logOf = (stream: LogStream): SealedLog | null =>
  stream === 'flow' ? null : stream === 'change' ? 'changes' : 'activity'

/** How a log is called in origins and paths: one that follows another has its number (S2.5). */
export const logName = (log: SealedLog, generation: number): string => (generation === 1 ? log : `${log}.${generation}`)

const hostOf = (address: string): string => new URL(address).host

/** The first line of a checkpoint (S2.1). */
export const originOf = (address: string, account: string, log: SealedLog, generation: number): string =>
  `${hostOf(address)}/${account}/${logName(log, generation)}`

/** What an origin says; its host can change. Null for one that is not of a sealed log. */
export function parseOrigin(origin: string): { account: string; log: SealedLog; generation: number } | null {
  const [, account = '', name, number] = /^[^/]+\/([^/]+)\/([a-z]+)(?:\.([1-9]\d{0,8}))?$/.exec(origin) ?? []
  const log = sealedLogs.find((one) => one === name)
  return log && number !== '1' ? { account, log, generation: Number(number ?? 1) } : null
}

/** The name of the key that signs. */
export const keyNameOf = (address: string): string => `${hostOf(address)}/seal`

/** The name of a log in a path. */
export const logIdentifier = {
  type: 'string',
  enum: [...sealedLogs],
  description: 'The sealed log: `changes` or `activity`.',
  examples: ['changes'],
} as const

/** @throws RangeError for what the path has let through and is no such name */
export function sealedLogOf(name: string): SealedLog {
  const log = sealedLogs.find((one) => one === name)
  if (!log) throw new RangeError(`${name} is no sealed log.`)
  return log
}

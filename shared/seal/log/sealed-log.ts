import { timestamp } from '../../core/clock.ts'
import type { LogStream } from '../../logs/entries/log-id.ts'
import type { Item, Key } from '../../table/keys.ts'
import { canonicalJson } from './canonical-json.ts'

/** The two logs of an account that are sealed (S1.1). */
export const sealedLogs = ['changes', 'activity'] as const
export type SealedLog = (typeof sealedLogs)[number]

/** The streams of which settled hours are sealed, in the order of their leaves (S1.3). */
export const hourStreams = ['api_request', 'session'] as const
export type HourStream = (typeof hourStreams)[number]

/** The sealed log that an entry belongs to; null for flows, which change once (S1.4). */
export const logOf = (stream: LogStream): SealedLog | null =>
  stream === 'flow' ? null : stream === 'change' ? 'changes' : 'activity'

/** Name of a log in origins and paths: one that follows another has a number (S2.5). */
export const logName = (log: SealedLog, generation: number): string => (generation === 1 ? log : `${log}.${generation}`)

const hostOf = (address: string): string => new URL(address).host

/** The first line of a checkpoint (S2.1). */
export const logOrigin = (address: string, account: string, log: SealedLog, generation: number): string =>
  `${hostOf(address)}/${account}/${logName(log, generation)}`

/** The parts of an origin but its host, which can change. Null for one that is not of a sealed log. */
export function parseOrigin(origin: string): { account: string; log: SealedLog; generation: number } | null {
  const [, account = '', name, number] = /^[^/]+\/([^/]+)\/([a-z]+)(?:\.([1-9]\d{0,8}))?$/.exec(origin) ?? []
  const log = sealedLogs.find((one) => one === name)
  return log && number !== '1' ? { account, log, generation: Number(number ?? 1) } : null
}

export const keyNameOf = (address: string): string => `${hostOf(address)}/seal`

export const logIdentifier = {
  type: 'string',
  enum: [...sealedLogs],
  description: 'The sealed log: `changes` or `activity`.',
  examples: ['changes'],
} as const

/** @throws RangeError for any other name, which the path does not let through */
export function sealedLogOf(name: string): SealedLog {
  const log = sealedLogs.find((one) => one === name)
  if (!log) throw new RangeError(`${name} is no sealed log.`)
  return log
}

export const hourMicros = 3_600_000_000

/** An hour of a stream that is sealed (S1.3). */
export type SealedHour = { hour: string; stream: HourStream; size: number; root: string }

export const hourStart = (micros: number): number => Math.floor(micros / hourMicros) * hourMicros

export const hourText = (micros: number): string => timestamp(hourStart(micros))

export const hourLeafText = ({ hour, stream, size, root }: SealedHour): string =>
  canonicalJson({ type: 'hour', stream, hour, size, root })

/** The id of an hour among the leaves: 24 hexadecimal characters in the order of the leaves. */
export const hourId = (micros: number, stream: HourStream): string =>
  `${hourStart(micros).toString(16).padStart(13, '0')}${hourStreams.indexOf(stream)}`.padEnd(24, '0')

export const readHourId = (id: string): { hour: string; stream: HourStream } => ({
  hour: timestamp(Number.parseInt(id.slice(0, 13), 16)),
  stream: hourStreams[Number(id.charAt(13))] as HourStream,
})

/** The accounts whose logs are sealed: one item each, for the sealing function to find them. */
export const sealedAccountsPartition = 'service#sealed'

export const sealedAccountItem = (account: string): Item => ({
  pk: sealedAccountsPartition,
  sk: account,
  kind: 'sealed_account',
  // Read by the deletion of the account.
  account_id: account,
})

/** The progress of the renewal of the locks of the sealed logs. */
export const lockRenewalKey: Key = { pk: 'service#seal.locks', sk: 'renewal' }

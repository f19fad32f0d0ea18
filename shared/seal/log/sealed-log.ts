import { hourStart, timestamp } from '../../core/clock.ts'
import type { LogStream } from '../../logs/entries/log-id.ts'
import type { Item, Key } from '../../table/keys.ts'
import { canonicalJson } from './canonical-json.ts'

export const sealedLogs = ['changes', 'activity', 'archive'] as const
export type SealedLog = (typeof sealedLogs)[number]

/** Streams of the activity log, in the order of their leaves within an hour (S1.3). */
export const hourStreams = ['api_request', 'session'] as const
export type HourStream = (typeof hourStreams)[number]

/** Returns the sealed log of a stream. Flows are sealed with their archive, because they change once after they are stored (S1.4). */
export const sealedLogFor = (stream: LogStream): SealedLog =>
  stream === 'flow' ? 'archive' : stream === 'change' ? 'changes' : 'activity'

/** Name of a log in origins and paths. From the second generation on, the name ends with the generation (S2.5). */
export const logName = (log: SealedLog, generation: number): string => (generation === 1 ? log : `${log}.${generation}`)

const hostOf = (address: string): string => new URL(address).host

/** Origin of a log, which is the first line of its checkpoints (S2.1). */
export const logOrigin = (address: string, account: string, log: SealedLog, generation: number): string =>
  `${hostOf(address)}/${account}/${logName(log, generation)}`

/** Parses an origin, ignoring the host, which can change. Returns null for a string that is not the origin of a sealed log. */
export function parseOrigin(origin: string): { account: string; log: SealedLog; generation: number } | null {
  const [, account = '', name, number] = /^[^/]+\/([^/]+)\/([a-z]+)(?:\.([1-9]\d{0,8}))?$/.exec(origin) ?? []
  const log = sealedLogs.find((one) => one === name)
  return log && number !== '1' ? { account, log, generation: Number(number ?? 1) } : null
}

export const keyNameOf = (address: string): string => `${hostOf(address)}/seal`

export const logIdentifier = {
  type: 'string',
  enum: [...sealedLogs],
  description: 'The sealed log: `changes`, `activity` or `archive`.',
  examples: ['changes'],
} as const

/** Parses the name of a sealed log. @throws RangeError for an unknown name, which path validation already rejects */
export function parseSealedLog(name: string): SealedLog {
  const log = sealedLogs.find((one) => one === name)
  if (!log) throw new RangeError(`${name} is not a sealed log.`)
  return log
}

/** Sealed hour of a stream (S1.3): number of entries, and base64 root of the tree over the entries. */
export type SealedHour = { hour: string; stream: HourStream; size: number; root: string }

export const hourText = (micros: number): string => timestamp(hourStart(micros))

export const hourLeafText = ({ hour, stream, size, root }: SealedHour): string =>
  canonicalJson({ type: 'hour', stream, hour, size, root })

/** Leaf id of the manifest of an hour in the archive log: 24 hexadecimal characters that sort in the order of the leaves. */
export const manifestId = (hour: number): string => hour.toString(16).padStart(13, '0').padEnd(24, '0')

/** Leaf id of an hour: 24 hexadecimal characters that sort in the order of the leaves. */
export const hourId = (micros: number, stream: HourStream): string =>
  `${hourStart(micros).toString(16).padStart(13, '0')}${hourStreams.indexOf(stream)}`.padEnd(24, '0')

export const hourOfId = (id: string): string => timestamp(Number.parseInt(id.slice(0, 13), 16))

export const readHourId = (id: string): { hour: string; stream: HourStream } => ({
  hour: hourOfId(id),
  stream: hourStreams[Number(id.charAt(13))] as HourStream,
})

/** Partition with one item per account, from which the sealing function reads the accounts to seal. */
export const sealedAccountsPartition = 'service#sealed'

export const sealedAccountItem = (account: string): Item => ({
  pk: sealedAccountsPartition,
  sk: account,
  kind: 'sealed_account',
  // Account deletion finds the item by this attribute.
  account_id: account,
})

/** Key of the item with the progress of the yearly lock renewal (`renew-locks.ts`). */
export const lockRenewalKey: Key = { pk: 'service#seal.locks', sk: 'renewal' }

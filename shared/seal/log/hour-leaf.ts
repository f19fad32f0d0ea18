import { timestamp } from '../../core/clock.ts'
import { canonicalJson } from './canonical-json.ts'
import { type HourStream, hourStreams } from './sealed-log.ts'

export const hourMicros = 3_600_000_000

/** An hour of a stream that is sealed (S1.3). */
export type SealedHour = { hour: string; stream: HourStream; size: number; root: string }

export const hourStart = (micros: number): number => Math.floor(micros / hourMicros) * hourMicros

export const hourText = (micros: number): string => timestamp(hourStart(micros))

/** The text of the leaf that seals an hour. */
export const hourLeafText = ({ hour, stream, size, root }: SealedHour): string =>
  canonicalJson({ type: 'hour', stream, hour, size, root })

/** What an hour is found by among the leaves: 24 hexadecimal characters in the order of the leaves. */
export const hourId = (micros: number, stream: HourStream): string =>
  `${hourStart(micros).toString(16).padStart(13, '0')}${hourStreams.indexOf(stream)}`.padEnd(24, '0')

export const readHourId = (id: string): { hour: string; stream: HourStream } => ({
  hour: timestamp(Number.parseInt(id.slice(0, 13), 16)),
  stream: hourStreams[Number(id.charAt(13))] as HourStream,
})

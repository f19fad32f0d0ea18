import { clock, dayMicros } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { parseHour } from '../logs/blocks/block-keys.ts'

/** Returns the hour in the name of an object: `…/flow-20261122T09-0.parquet` or `…/20261122T09.json`. */
export function hourOfPath(path: string): number {
  const [, year, month, day, hour] = /(\d{4})(\d\d)(\d\d)T(\d\d)[^/]*$/.exec(path) ?? []
  return parseHour(`${year}-${month}-${day}T${hour}`)
}

/** True when the day of an object ended at least `archiveRetentionDays` ago, so that its manifest can have expired (R12.1). */
export const isExpired = (path: string): boolean =>
  hourOfPath(path) < (Math.floor(clock.now() / dayMicros) - env.archiveRetentionDays) * dayMicros

import { join } from 'node:path'
import { ApiError } from '#shared/core/errors.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { task } from '#shared/core/work/task.ts'
import { readJson, writeAtomically } from './files/data-dir.ts'

const maxHours = 24
const hourMs = 3_600_000

/** File with the time in milliseconds by which the service's clock is ahead. */
const shiftFile = (dir: string) => join(dir, 'clock-shift.json')

/** Reads the time in milliseconds by which the service's clock is ahead. */
export const readShift = (dir: string): number => readJson<{ ms: number }>(shiftFile(dir))?.ms ?? 0

const systemNow = Date.now.bind(Date)

/**
 * Sets this process ahead of the system's clock by the time in the data directory. Every start does so, because a clock that went back would
 * store entries in hours that are already archived.
 */
export function shiftClock(dir: string): void {
  const ms = readShift(dir)
  Date.now = ms > 0 ? () => systemNow() + ms : systemNow
}

/** Moves the clock of the service on this machine ahead by `hours`, so that hours of its logs are due at once. The clock never goes back. */
export const advanceClock = (dir: string) =>
  task(async (event) => {
    const { hours } = fieldsOf(event)
    if (typeof hours !== 'number' || !(hours > 0 && hours <= maxHours))
      throw new ApiError('bad_request', `hours must be a number above 0 and at most ${maxHours}.`)
    writeAtomically(shiftFile(dir), JSON.stringify({ ms: readShift(dir) + Math.ceil(hours * hourMs) }))
    shiftClock(dir)
    return { now: new Date(Date.now()).toISOString() }
  })

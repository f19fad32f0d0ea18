import { AsyncLocalStorage } from 'node:async_hooks'
import { clock } from '../clock.ts'
import { ApiError, errorCodes, unavailableAfter } from '../errors.ts'
import { mayBeDone } from '../transient-error.ts'

/** Knowledge about the changes of a piece of work: none, at least one, or possibly one. */
type Changed = 'nothing' | 'something' | 'unknown'

type Work = { deadline: number; changed: Changed }

const current = new AsyncLocalStorage<Work>()

/** Runs a request or a delivery, which may retry anything within the budget. */
export const inWorkTime = <T>(budgetMs: number, work: () => T): T =>
  current.run({ deadline: clock.monotonic() + budgetMs, changed: 'nothing' }, work)

/** End of retries, in milliseconds since 1970: the budget from now, within that of the work that runs. */
export const retryUntil = (budgetMs: number): number =>
  Math.min(clock.monotonic() + budgetMs, current.getStore()?.deadline ?? Number.POSITIVE_INFINITY)

/** Notes the result of a write, for the error that the work may still end with. */
export function noteChange(changed: Changed): void {
  const work = current.getStore()
  if (work && work.changed !== 'something') work.changed = changed
}

/** Waits for a write that is visible to callers, and notes its result. @throws the error of the write */
export async function changing<T>(write: Promise<T>): Promise<T> {
  try {
    const result = await write
    noteChange('something')
    return result
  } catch (error) {
    if (mayBeDone(error)) noteChange('unknown')
    throw error
  }
}

/** Replaces the "nothing was changed" detail of a 503 where the work that runs may have changed something. */
export function truthful(error: ApiError): ApiError {
  const changed = current.getStore()?.changed ?? 'nothing'
  if (changed === 'nothing' || error.detail !== errorCodes.unavailable.detail) return error
  return new ApiError('unavailable', unavailableAfter[changed], { members: error.members, headers: error.headers })
}

/** Milliseconds within which parts are started. Tests shorten them. */
export const workTime = {
  /** Below the 29 s of a request's function by the time that the last retry may take. */
  retries: (): number => 22_000,
  /** Below the 29 s of a request's function by the time that the last part may take. */
  request: (): number => 20_000,
  /** Below the 60 s of a consumer by the time for the rest of its batch. */
  delivery: (): number => 15_000,
  /** Below the five minutes of the provisioning function. */
  provisioning: (): number => 270_000,
}

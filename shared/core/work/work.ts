import { AsyncLocalStorage } from 'node:async_hooks'
import { clock } from '../clock.ts'
import { ApiError, errorCodes, unavailableAfter } from '../errors.ts'
import { mayBeDone } from '../transient-error.ts'

/** Changes made by a request or delivery: none, at least one, or possibly one. */
export type ChangeOutcome = 'nothing' | 'something' | 'unknown'

type Work = { deadline: number; outcome: ChangeOutcome }

const currentWork = new AsyncLocalStorage<Work>()

/** Runs a request or delivery with a time budget for all its retries. */
export const inWorkTime = <T>(budgetMs: number, work: () => T): T =>
  currentWork.run({ deadline: clock.monotonic() + budgetMs, outcome: 'nothing' }, work)

/** Returns the end of retries on the monotonic clock: `budgetMs` from now, but no later than the end of the running work. */
export const retryUntil = (budgetMs: number): number =>
  Math.min(clock.monotonic() + budgetMs, currentWork.getStore()?.deadline ?? Number.POSITIVE_INFINITY)

/** Records whether a write changed something, which the details of a later error report. */
export function noteChange(outcome: ChangeOutcome): void {
  const work = currentWork.getStore()
  if (work && work.outcome !== 'something') work.outcome = outcome
}

/** Awaits a write that callers can see, and records whether it changed something. @throws the error of the write */
export async function noteWrite<T>(write: Promise<T>): Promise<T> {
  try {
    const result = await write
    noteChange('something')
    return result
  } catch (error) {
    if (mayBeDone(error)) noteChange('unknown')
    throw error
  }
}

/** Corrects the detail "Nothing was changed" of a 503 error if the running work may have changed something. */
export function correctDetail(error: ApiError): ApiError {
  const outcome = currentWork.getStore()?.outcome ?? 'nothing'
  if (outcome === 'nothing' || error.detail !== errorCodes.unavailable.detail) return error
  return new ApiError('unavailable', unavailableAfter[outcome], { members: error.members, headers: error.headers })
}

/** Time budgets in milliseconds. Tests shorten them. */
export const workTime = {
  /** Shorter than the 29 s timeout of a request's function, to leave time for the last retry. */
  retries: (): number => 22_000,
  /** Shorter than the 29 s timeout of a request's function, to leave time for the last part of a change. */
  request: (): number => 20_000,
  /** Shorter than the 60 s timeout of a consumer, to leave time for the rest of its batch. */
  delivery: (): number => 15_000,
  /** Shorter than the five-minute timeout of the provisioning function. */
  provisioning: (): number => 270_000,
}

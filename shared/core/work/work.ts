import { AsyncLocalStorage } from 'node:async_hooks'
import { mayBeDone } from '../aws/passing-error.ts'
import { waiting } from './waiting.ts'

/** What is known of the changes of a piece of work: there is none, one was made, or nobody knows whether it was. */
type Changed = 'nothing' | 'something' | 'unknown'

type Work = { deadline: number; changed: Changed }

const current = new AsyncLocalStorage<Work>()

/** Runs a request or a delivery, which has so many milliseconds in which it may try anything again. */
export const inWorkTime = <T>(budgetMs: number, work: () => T): T =>
  current.run({ deadline: waiting.now() + budgetMs, changed: 'nothing' }, work)

/** Until when something may be tried again, in milliseconds since 1970: so long from now, and within the work that runs. */
export const retryUntil = (budgetMs: number): number =>
  Math.min(waiting.now() + budgetMs, current.getStore()?.deadline ?? Number.POSITIVE_INFINITY)

/** Notes what became of a write, for the error that the work may still end with. What is made stays made. */
export function noteChange(changed: Changed): void {
  const work = current.getStore()
  if (work && work.changed !== 'something') work.changed = changed
}

/** Waits for a write that a caller could hear of, and notes what became of it. @throws what it throws */
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

/** What the work that runs has changed so far. */
export const changedSoFar = (): Changed => current.getStore()?.changed ?? 'nothing'

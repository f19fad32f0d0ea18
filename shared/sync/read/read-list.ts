import { clock, jitter } from '../../core/clock.ts'
import { isFault, ProviderFault } from '../adapter.ts'
import { countBarren } from '../providers/rows.ts'
import type { Reading } from '../runs/run.ts'
import { type RunWork, StepOver } from '../runs/run-work.ts'

/** Maximum duration of consecutive failures, in milliseconds. After that, the run fails (I6). */
const maxFailingMs = 600_000
const maxPauseMs = 60_000
/** Maximum duration of a single sleep, in milliseconds. A waiting step wakes up in between to renew its lease. */
const maxSleepMs = 30_000

/**
 * Calls the provider. Retries temporary failures with exponential backoff, but not before the time that the provider requests.
 * @throws ProviderFault `transient` after ten minutes of consecutive failures, across all steps
 * @throws StepOver if the next attempt would come after the end of the step
 */
export async function callProvider<T>(work: RunWork, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await call()
      work.run.troubled_since = null
      return answer
    } catch (error) {
      if (!isFault(error, 'retry')) throw error
      const now = clock.monotonic()
      work.run.troubled_since ??= now
      const pause = Math.max(error.retryAfterMs ?? 0, jitter(tries, 1_000, maxPauseMs))
      if (now + pause - work.run.troubled_since > maxFailingMs) {
        throw new ProviderFault('transient', error.message, { cause: error })
      }
      await waitUntil(work, now + pause)
    }
  }
}

async function waitUntil(work: RunWork, until: number): Promise<void> {
  if (until >= work.deadline) {
    await work.save()
    throw new StepOver()
  }
  for (let left = until - clock.monotonic(); left > 0; left = until - clock.monotonic()) {
    await clock.sleep(Math.min(left, maxSleepMs))
    if (work.isSaveDue) await work.save()
  }
}

/** Maximum number of restarts of a list whose position was lost (I6). */
const maxRestarts = 3

type ListHooks = {
  /** Discards the entries read so far, before the list is read again. */
  restart(): void
  /** Saves the position at which a later step resumes. */
  pause(position: string | null): Promise<void>
  advance(position: string): Promise<void>
}

/**
 * Reads a list page by page. Restarts the list a few times if the provider loses the position.
 * @throws ProviderFault, StepOver
 */
export async function* eachPage<P extends { next: string | null; barren?: boolean }>(
  work: RunWork,
  list: string,
  start: string | null,
  read: (position: string | null) => Promise<P>,
  { restart, pause, advance }: ListHooks,
): AsyncGenerator<{ page: P; position: string | null }> {
  const reading = work.run.reading as Reading
  for (let position = start; ; ) {
    const current = position
    let page: P
    try {
      page = await callProvider(work, () => read(current))
    } catch (error) {
      if (error instanceof StepOver) await pause(current)
      if (!isFault(error, 'position_lost')) throw error
      if (++reading.restarts > maxRestarts) throw new ProviderFault(error.finalClass, error.message, { cause: error })
      reading.position = null
      position = null
      restart()
      continue
    }
    yield { page, position: current }
    if (page.next === null) return
    reading.barren = countBarren(list, reading.barren ?? 0, page.barren)
    position = page.next
    await advance(position)
  }
}

import { jitter, waiting } from '../../core/work/waiting.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { RunWork } from '../runs/run-work.ts'
import { StepOver } from '../runs/step-end.ts'

/** How long calls may fail in a row before the run is given up (I6). */
const patienceMs = 600_000
const longestPauseMs = 60_000
/** The lease is renewed while a step waits. */
const sliceMs = 30_000

/**
 * Makes a call to the provider, again and again while it fails for what passes, with growing pauses and no sooner than the
 * provider says.
 * @throws ProviderFault `transient` after ten minutes of failures in a row, whatever step they began in
 * @throws StepOver when the next try lies behind the end of the step
 */
export async function askProvider<T>(work: RunWork, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await call()
      work.run.troubled_since = null
      return answer
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.faultClass !== 'again') throw error
      const now = waiting.now()
      work.run.troubled_since ??= now
      const pause = Math.max(error.retryAfterMs ?? 0, jitter(tries, 1_000, longestPauseMs))
      if (now + pause - work.run.troubled_since > patienceMs) {
        throw new ProviderFault('transient', error.message, { cause: error })
      }
      await rest(work, now + pause)
    }
  }
}

async function rest(work: RunWork, until: number): Promise<void> {
  if (until >= work.deadline) {
    await work.save()
    throw new StepOver(until)
  }
  for (let left = until - waiting.now(); left > 0; left = until - waiting.now()) {
    await waiting.sleep(Math.min(left, sliceMs))
    if (work.isDue) await work.save()
  }
}

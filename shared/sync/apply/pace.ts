import { waiting } from '../../core/work/waiting.ts'

/** Commits of a run in a second, at most (I4.5). */
const mostRate = 15
/** Pauses of the longest commits end all the same. */
const longestPauseMs = 2_000

/**
 * Spaces the commits of a run out, so that administrators stay fast and the run goes on. After each commit it rests as long as
 * that one took: half of the time belongs to others. Whoever has lost a race against the run has a whole commit's time until
 * the next one, so nobody loses two in a row. While the run itself loses races it rests three times as long, and never
 * longer: a quarter of the time is its own, however busy an account is.
 */
export class Pace {
  private next = 0

  /** Waits until the next commit may begin. */
  async turn(): Promise<void> {
    const now = waiting.now()
    if (now < this.next) await waiting.sleep(this.next - now)
  }

  /** @param ms how long the last commit took, with @param lost races in it that it lost */
  note({ ms, lost }: { ms: number; lost: number }): void {
    const once = ms / (lost + 1)
    const pause = Math.min(longestPauseMs, lost > 0 ? 3 * once : once)
    this.next = waiting.now() + Math.max(pause, 1_000 / mostRate - ms)
  }
}

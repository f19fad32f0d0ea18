import { waiting } from '../../core/waiting.ts'

/** Commits of a run in a second, at most (I4.5). */
const mostRate = 15
const leastRate = 1

/** Spaces the commits of a run out, wider while they lose races, so that administrators stay fast. */
export class Pace {
  private rate = mostRate
  private next = 0

  /** Waits until the next commit may begin. */
  async turn(): Promise<void> {
    const now = waiting.now()
    if (now < this.next) await waiting.sleep(this.next - now)
    this.next = Math.max(now, this.next) + 1_000 / this.rate
  }

  /** @param lost how many races the last commit has lost */
  note(lost: number): void {
    this.rate = lost > 0 ? Math.max(leastRate, this.rate / 2) : Math.min(mostRate, this.rate + 1)
  }
}

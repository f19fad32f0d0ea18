import type { SeededRandom } from '../world/seeded-random.ts'

/** Secrets of tokens that ended, of which none may count again. */
export class EndedSecrets {
  private readonly all: string[] = []
  private fresh: string[] = []

  add(secret: string): void {
    this.all.push(secret)
    this.fresh.push(secret)
  }

  /** Some to try: of those that ended since the last time, and now and then any. */
  take(random: SeededRandom): string[] {
    const some = [...random.sample(this.fresh, 2), ...(random.chance(0.1) ? random.sample(this.all, 1) : [])]
    this.fresh = []
    return some
  }
}

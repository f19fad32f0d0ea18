import type { SeededRandom } from '../world/seeded-random.ts'

/** Secrets of expired and revoked tokens, which the service must refuse. */
export class EndedSecrets {
  private readonly all: string[] = []
  private fresh: string[] = []

  add(secret: string): void {
    this.all.push(secret)
    this.fresh.push(secret)
  }

  take(random: SeededRandom): string[] {
    const secrets = [...random.sample(this.fresh, 2), ...(random.chance(0.1) ? random.sample(this.all, 1) : [])]
    this.fresh = []
    return secrets
  }
}

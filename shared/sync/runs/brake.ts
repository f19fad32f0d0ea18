import type { Losses } from './directory-plan.ts'

/** Fewer deletions than this never stop a run, unless they are all there is. */
const least = 10

/**
 * The sentence with which the brake stops a run, null where it lets it pass (I5.3). Each kind of thing is counted for itself;
 * one of which the source owned nothing cannot stop anything.
 * @param percent the most that may go
 */
export function brake(losses: Losses, percent: number): string | null {
  for (const [noun, { lost, owned }] of Object.entries(losses)) {
    if (lost === 0) continue
    const isAll = lost >= owned
    const isMost = lost >= least && lost * 100 > owned * percent
    if (isAll || isMost) return `Sync would delete ${lost} of ${owned} ${noun}; nothing was changed.`
  }
  return null
}

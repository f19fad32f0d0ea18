import type { Losses } from './planned.ts'

/** Fewer deletions than this never stop a run, unless they are all there is. */
const least = 10

/**
 * The sentence with which the brake stops a run, null where it lets it pass (I5.3). Each kind of thing is counted for itself;
 * one of which the source owned nothing cannot stop anything. Who is named as not active counts where nobody would be left.
 * @param percent the most that may go
 */
export function brake(losses: Losses, percent: number): string | null {
  for (const [noun, { lost, owned, named = 0 }] of Object.entries(losses)) {
    const going = lost + named
    const isAll = going > 0 && going >= owned
    const isMost = lost >= least && lost * 100 > owned * percent
    if (isAll || isMost) return `Sync would delete ${going} of ${owned} ${noun}; nothing was changed.`
  }
  return null
}

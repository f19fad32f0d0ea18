import type { Counts } from '../runs/run.ts'

/**
 * How much of what a source owned before the run would go (I5.3): `lost` is what the snapshot has not, `named` what the
 * provider itself says is not active.
 */
export type Losses = Record<string, { lost: number; owned: number; named?: number }>

/** What a plan has come to: entries of each section, changes of each object, and what would go. */
export type Planned = { sections: Record<string, number>; counts: Record<string, Counts>; losses: Losses }

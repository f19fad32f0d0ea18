import type { Erasures } from '../logs/blocks/erasures.ts'

/**
 * Hour of storing to flush. `hour` and `slots`, which contain its blocks, are starts in microseconds; `deadline` is in milliseconds of
 * `clock.monotonic`. Rows of the actors of `erasures` are erased.
 */
export type DueHour = { account: string; hour: number; slots: number[]; deadline: number; erasures: Erasures }

import type { Erasures } from '../logs/blocks/erasures.ts'

/** Hour of storing to flush. `slots` contain its blocks. Rows of the actors of `erasures` are erased. */
export type DueHour = { account: string; hour: number; slots: number[]; deadline: number; erasures?: Erasures }

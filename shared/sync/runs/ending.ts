import type { Outcome } from './run.ts'

/** How a run ends: `class` says what a failure does to its source (I6). */
export type Ending =
  | { outcome: Extract<Outcome, 'applied' | 'previewed' | 'cancelled'>; error?: string }
  | { outcome: Extract<Outcome, 'stopped' | 'failed'>; error: string; class: 'fatal' | 'transient' }

import type { Outcome, Run } from './run.ts'

/** How a run ends: `class` says what a failure does to its source (I6). */
export type Ending =
  | { outcome: Extract<Outcome, 'applied' | 'previewed' | 'cancelled'>; error?: string }
  | { outcome: Extract<Outcome, 'stopped' | 'failed'>; error: string; class: 'fatal' | 'transient' }

/** The end of a run that may not go on. */
export const cancelled = ({ rewinds }: Run): Ending => ({
  outcome: 'cancelled',
  error:
    rewinds === null
      ? 'It was disabled, deleted or changed while the run was under way.'
      : 'The directory was deleted, or its account disabled, while the run was rewound.',
})

import type { Texts } from './text.ts'

/** Runs of directories and inventories. */
export const syncRunsTexts: Texts = {
  applied: { description: 'What the run has changed so far, by kind of object.' },
  change: { description: 'What the run does to the object.', example: 'insert' },
  outcome: {
    description: 'How the run ended; null while it is under way. `stopped`: too much would have been deleted.',
    example: 'applied',
  },
  phase: { description: 'What the run is doing, or did last.', example: 'read' },
  planned: { description: 'What the run found to change, by kind of object.' },
  rewinds: {
    description: 'The run that this one undoes; null for one that synchronises.',
    example: null,
    format: 'uuid',
  },
  seen: { description: 'What the provider has told, by kind of object.' },
  skipped: {
    description: 'How many entries of the provider could not be used, or were kept as they are, by reason.',
    example: { no_email: 2 },
  },
  skipped_sample: { description: 'The first of them, at most 50.' },
}

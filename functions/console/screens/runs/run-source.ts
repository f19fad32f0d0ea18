import type { CalledRoute, Operations } from '../../client/api-types.ts'
import type { BadgeTone } from '../../parts/controls.tsx'
import { texts } from '../../texts/texts.ts'

export type ChangeCounts = { insert: number; update: number; delete: number }

type DirectoryRun = Operations['GET /idp_directories/{id}/runs/{run_id}']['answer']['data']

/** Run of a directory or an inventory (I4.1(4)). Counts are by kind of object. */
export type Run = Omit<DirectoryRun, 'seen' | 'planned' | 'applied' | 'rewinds'> & {
  seen: Record<string, number>
  planned: Record<string, ChangeCounts>
  applied: Record<string, ChangeCounts>
  rewinds?: string | null
}

export type RunChange = Operations['GET /idp_directories/{id}/runs/{run_id}/changes']['answer']['data'][number]

/** Directory or inventory, as the object of runs. */
export type RunSource = {
  address: string
  scope: string
  envelope: string
  routes: Record<'read' | 'update' | 'runs' | 'run' | 'changes' | 'preview' | 'sync', CalledRoute> & {
    rewind?: CalledRoute
  }
}

/** Days after the end of a run within which it can be rewound (I4.1(6)). */
const maxRewindDays = 7

/** True for a run that the service may accept to rewind. The service makes the decision and states the reason of a refusal. */
export const canRewind = ({ applied, finished_at, rewinds }: Run, now: number): boolean =>
  finished_at !== null &&
  !rewinds &&
  totalOf(applied).delete > 0 &&
  now - Date.parse(finished_at) < maxRewindDays * 86_400_000

/** Adds the counts of all kinds of objects. */
export function totalOf(counts: Record<string, ChangeCounts>): ChangeCounts {
  const total = { insert: 0, update: 0, delete: 0 }
  for (const one of Object.values(counts))
    for (const change of ['insert', 'update', 'delete'] as const) total[change] += one[change]
  return total
}

type Change = keyof ChangeCounts

/** Returns the effects of changes as texts: "200 users and 8 groups new", "150 users deleted". */
export const effectsOf = (
  counts: Record<string, ChangeCounts>,
  words: Partial<Record<Change, string>> = texts.run.effects,
): string[] =>
  (['insert', 'update', 'delete'] as const)
    .map((change) => {
      const objects = Object.entries(counts).map(([object, one]): [string, number] => [object, one[change]])
      return texts.run.effect(
        objects.filter(([, count]) => count > 0),
        words[change] ?? '',
      )
    })
    .filter(Boolean)

/** True for a run that has only planned its changes: a preview, or a run that the deletion brake stopped. */
export const isPlan = ({ outcome }: Run): boolean => outcome === 'previewed' || outcome === 'stopped'

/** Changes that a run has made, or that its plan has. */
export const changesOfRun = (run: Run): Record<string, ChangeCounts> => (isPlan(run) ? run.planned : run.applied)

const tones: Record<string, BadgeTone> = { applied: 'good', previewed: 'neutral', stopped: 'bad', failed: 'bad' }

export const runStates = ({ outcome, phase, rewinds }: Run): Array<{ text: string; tone: BadgeTone }> => [
  outcome === null
    ? { text: texts.run.phases[phase], tone: 'warn' }
    : { text: texts.run.outcomes[outcome], tone: tones[outcome] ?? 'neutral' },
  ...(rewinds ? [{ text: texts.run.rewind, tone: 'neutral' as const }] : []),
]

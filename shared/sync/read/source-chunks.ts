import { clock, dayMicros, microsOf } from '../../core/clock.ts'
import type { LastGoodRun } from '../../domain/sync/last-good-run.ts'
import type { RunWork } from '../runs/run-work.ts'
import { Chunks } from './chunks.ts'

/** Chunks end after this time; the parts of a snapshot are used again for half of it, which leaves a run days to spare. */
const chunkDays = 8
const reusedDays = 4

/** The chunks of the source of a run, for reading and writing. */
export const chunksOf = ({ run }: RunWork): Chunks =>
  new Chunks(run.account_id, run.source_id, Math.ceil((clock.now() + chunkDays * dayMicros) / 1_000_000))

/** Whether the snapshot of the last good run is young enough for its parts to be used again. */
export const isReusable = ({ staged_at }: LastGoodRun): boolean =>
  microsOf(staged_at) >= clock.now() - reusedDays * dayMicros

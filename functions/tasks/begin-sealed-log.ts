import { clock } from '#shared/core/clock.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { beginSealedLog } from '#shared/seal/sealing/begin-log.ts'

/** Time budget of a run, which ends before its leases expire. */
const budgetMs = 180_000

/** Operator task: begins new sealed logs that continue the logs from before a restore (docs/runbooks/seal-stopped.md). */
export const handler = watched(
  'begin-sealed-log',
  task((event) => beginSealedLog(event, clock.monotonic() + budgetMs)),
)

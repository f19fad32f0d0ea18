import { clock } from '#shared/core/clock.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { beginSealedLog } from '#shared/seal/sealing/begin-log.ts'

/** A run ends before its leases do. */
const budgetMs = 180_000

/** Begins the logs that follow those of before a restore; invoked by an operator under IAM (docs/runbooks/seal-stopped.md). */
export const handler = watched(
  'begin-sealed-log',
  task((event) => beginSealedLog(event, clock.monotonic() + budgetMs)),
)

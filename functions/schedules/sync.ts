import { watched } from '#shared/core/logging/watched.ts'
import { giveTurns } from '#shared/jobs/sync-turns/give-turns.ts'
import { runDue } from '#shared/sync/steps/run-due.ts'

/** A step of a run ends before its function does, with time for what it has begun (I4.1(2)). */
const budgetMs = 12 * 60_000

/** Every minute: begins runs of directories and inventories that are due, and goes on with those under way (I4.1, I7.1). */
export const handler = watched('sync', async () => {
  const deadline = Date.now() + budgetMs
  await giveTurns()
  await runDue(deadline)
})

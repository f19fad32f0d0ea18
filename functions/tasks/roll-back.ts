import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { rollBack } from '#shared/jobs/versions/roll-back.ts'

/** Operator task: rolls functions back to the previous version (docs/runbooks/new-version-fails.md). */
export const handler = watched('roll-back', task(rollBack))

import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { verifyChangeLog } from '#shared/logs/verify-change-log.ts'

/** Operator task: verifies the change log against the commit records (docs/runbooks/change-log.md). */
export const handler = watched('verify-change-log', task(verifyChangeLog))

import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { verifyChangeLog } from '#shared/logs/verify-change-log.ts'

/** Verifies the change log against the commit records. Invoked by an operator under IAM (docs/runbooks/change-log.md). */
export const handler = watched('verify-change-log', task(verifyChangeLog))

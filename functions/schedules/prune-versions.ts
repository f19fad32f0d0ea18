import { watched } from '#shared/core/logging/watched.ts'
import { pruneVersions } from '#shared/jobs/versions/prune-versions.ts'

/** Every 6 hours: deletes function versions that no rollback needs any more. */
export const handler = watched('prune-versions', pruneVersions)

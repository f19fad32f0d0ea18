import { watched } from '#shared/core/logging/watched.ts'
import { pruneVersions } from '#shared/jobs/versions/prune-versions.ts'

/** Deletes function versions that no rollback needs any more, every 6 hours. */
export const handler = watched('prune-versions', pruneVersions)

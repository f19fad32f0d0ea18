import { watched } from '#shared/core/logging/watched.ts'
import { pruneVersions } from '#shared/jobs/versions/prune-versions.ts'

/** Runs every 6 hours and deletes function versions that no rollback needs any more. */
export const handler = watched('prune-versions', pruneVersions)

import { watched } from '#shared/core/logging/watched.ts'
import { pulse } from '#shared/jobs/pulse/pulse.ts'

/** Sends a test request through API, table and streams every minute (docs/runbooks/no-pulse.md). */
export const handler = watched('pulse', () => pulse())

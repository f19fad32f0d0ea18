import { watched } from '#shared/core/logging/watched.ts'
import { pulse } from '#shared/jobs/pulse/pulse.ts'

/** Runs every minute and sends a test request through the API, the table and the streams (docs/runbooks/no-pulse.md). */
export const handler = watched('pulse', () => pulse())

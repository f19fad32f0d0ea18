import { watched } from '#shared/core/logging/watched.ts'
import { pulse } from '#shared/jobs/pulse/pulse.ts'

/** Runs every minute and sends a test request through API, table and streams (docs/runbooks/no-pulse.md). */
export const handler = watched('pulse', () => pulse())

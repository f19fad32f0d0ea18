import { customResource } from '#shared/core/custom-resource.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { checkConcurrency } from '#shared/jobs/concurrency/check-concurrency.ts'

/** Ends a deployment whose account cannot run it, and says what it needs (docs/deploy.md). */
export const handler = watched('check-concurrency', customResource(checkConcurrency))

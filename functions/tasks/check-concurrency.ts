import { customResource } from '#shared/core/custom-resource.ts'
import { checkConcurrency } from '#shared/jobs/concurrency/check-concurrency.ts'

/** Ends a deployment whose account cannot run it, and says what it needs (docs/deploy.md). */
export const handler = customResource(checkConcurrency)

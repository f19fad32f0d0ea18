import { customResource } from '#shared/core/custom-resource.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { checkConcurrency } from '#shared/jobs/concurrency/check-concurrency.ts'

/** Stops a deployment if the AWS account's concurrency quota is too low, and reports the required quota (docs/deploy.md). */
export const handler = watched('check-concurrency', customResource(checkConcurrency))

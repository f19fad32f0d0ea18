import { task } from '#shared/core/task.ts'
import { provision } from '#shared/jobs/provisioning/provision.ts'

/** The provisioning function (A32): invoked by an operator under IAM. */
export const handler = task(provision)

import { provision } from '#shared/provisioning/provision.ts'
import { task } from '#shared/task.ts'

/** The provisioning function (A32): invoked by an operator under IAM. */
export const handler = task(provision)

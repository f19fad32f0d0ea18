import { task } from '#shared/core/task.ts'
import { watched } from '#shared/core/watched.ts'
import { provision } from '#shared/jobs/provisioning/provision.ts'

/** The provisioning function (A32): invoked by an operator under IAM. */
export const handler = watched('provision-account', task(provision))

import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { provision } from '#shared/jobs/provisioning/provision.ts'

/** The provisioning function (A32): invoked by an operator under IAM. */
export const handler = watched('provision-account', task(provision))

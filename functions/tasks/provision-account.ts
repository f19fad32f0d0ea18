import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { provision } from '#shared/jobs/provisioning/provision.ts'

/** Operator task: provisions accounts (A32). */
export const handler = watched('provision-account', task(provision))

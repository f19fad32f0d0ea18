import { ApiError } from '#shared/errors.ts'
import { logLine } from '#shared/log.ts'
import { provision } from '#shared/provisioning/provision.ts'

/** The provisioning function (A32): invoked by an operator under IAM. */
export const handler = async (event: unknown) => {
  try {
    return { data: await provision(event) }
  } catch (error) {
    if (error instanceof ApiError) return { error: { code: error.code, detail: error.detail, ...error.members } }
    logLine('ERROR', 'unexpected error', { error: error instanceof Error ? error.stack : 'not an error object' })
    const bug = new ApiError('internal_error')
    return { error: { code: bug.code, detail: bug.detail } }
  }
}

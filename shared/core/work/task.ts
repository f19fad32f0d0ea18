import { ApiError } from '../errors.ts'
import { describeError } from '../logging/describe-error.ts'
import { logLine } from '../logging/log.ts'

/** A function that an operator invokes under IAM: its answer is `{"data": …}` or `{"error": {"code", "detail", …}}` (A32). */
export const task = (work: (event: unknown) => Promise<unknown>) => async (event: unknown) => {
  try {
    return { data: await work(event) }
  } catch (error) {
    if (error instanceof ApiError) return { error: { code: error.code, detail: error.detail, ...error.members } }
    logLine('ERROR', 'unexpected_error', describeError(error))
    const bug = new ApiError('internal_error')
    return { error: { code: bug.code, detail: bug.detail } }
  }
}

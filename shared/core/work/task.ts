import { ApiError } from '../errors.ts'
import { describeError } from '../logging/describe-error.ts'
import { logLine } from '../logging/log.ts'
import { truthful } from './truthful.ts'
import { inWorkTime } from './work.ts'

/** A function that an operator invokes under IAM: its answer is `{"data": …}` or `{"error": {"code", "detail", …}}` (A32). */
export const task = (work: (event: unknown) => Promise<unknown>) => (event: unknown) =>
  inWorkTime(Number.POSITIVE_INFINITY, async () => {
    try {
      return { data: await work(event) }
    } catch (error) {
      const { code, detail, members } = truthful(known(error))
      return { error: { code, detail, ...members } }
    }
  })

function known(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  logLine('ERROR', 'unexpected_error', describeError(error))
  return new ApiError('internal_error')
}

import type { Context } from 'aws-lambda'
import { ApiError } from '../errors.ts'
import { describeError } from '../logging/describe-error.ts'
import { logLine } from '../logging/log.ts'
import { correctDetail, inWorkTime } from './work.ts'

/**
 * Creates a handler that an operator invokes with IAM permissions. The response is `{"data": …}` or `{"error": {"code", "detail", …}}`
 * (A32).
 */
export const task =
  <C>(work: (event: unknown, context?: C) => Promise<unknown>) =>
  (event: unknown, context?: C) =>
    inWorkTime(Number.POSITIVE_INFINITY, async () => {
      try {
        return { data: await work(event, context) }
      } catch (error) {
        if (!(error instanceof ApiError)) logLine('ERROR', 'unexpected_error', describeError(error))
        const apiError = error instanceof ApiError ? error : new ApiError('internal_error')
        const { code, detail, members } = correctDetail(apiError)
        return { error: { code, detail, ...members } }
      }
    })

/**
 * Creates a check that returns true while a function has more than `reserveMs` milliseconds left. Always returns true without a Lambda
 * context.
 */
export const timeLeft =
  (context: Pick<Context, 'getRemainingTimeInMillis'> | undefined, reserveMs: number) => (): boolean =>
    !context || context.getRemainingTimeInMillis() > reserveMs

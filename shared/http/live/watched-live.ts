import { workTime } from '../../commit/work-time.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { measure, within } from '../../core/logging/invocation.ts'
import { logEnd } from '../../core/logging/log.ts'
import { millisecondsSince } from '../../core/logging/watched.ts'
import { inWorkTime } from '../../core/work/work.ts'
import type { LiveHandler } from './live-event.ts'

/**
 * A handler of the channel. Like that of a request it answers before the platform gives it up. Its lines say whose they are, and the
 * last one how it ended. Never a message, never a token.
 */
export const watchedLive =
  (route: '$connect' | '$default' | '$disconnect', handle: LiveHandler): LiveHandler =>
  (event, context = {}) => {
    const { requestId: request_id, connectionId: connection_id } = event.requestContext
    const fields = { operation: route, request_id, function_request_id: context.awsRequestId, connection_id }
    return within({ class: 'live', ...fields }, async () => {
      const startedAt = performance.now()
      try {
        const answer = await inWorkTime(workTime.retries(), () => handle(event))
        measureEnd(startedAt, answer.statusCode >= 500)
        logEnd('INFO', 'live', { status: answer.statusCode })
        return answer
      } catch (error) {
        measureEnd(startedAt, true)
        logEnd('ERROR', 'run_failed', describeError(error))
        throw error
      }
    })
  }

function measureEnd(startedAt: number, isFault: boolean): void {
  measure('latency_ms', millisecondsSince(startedAt))
  measure('faults', Number(isFault))
}

import { describeError } from '../../core/describe-error.ts'
import { within } from '../../core/invocation.ts'
import { logLine } from '../../core/log.ts'
import { millisecondsSince } from '../../core/watched.ts'
import type { LiveHandler } from './live-event.ts'

/** A handler of the channel: its lines say whose they are, and the last one how it ended. Never a message, never a token. */
export const watchedLive =
  (route: '$connect' | '$default' | '$disconnect', handle: LiveHandler): LiveHandler =>
  (event) => {
    const { requestId, connectionId } = event.requestContext
    return within({ operation: route, request_id: requestId, connection_id: connectionId }, async () => {
      const startedAt = performance.now()
      try {
        const answer = await handle(event)
        logLine('INFO', 'live', { status: answer.statusCode, latency_ms: millisecondsSince(startedAt) })
        return answer
      } catch (error) {
        logLine('ERROR', 'run_failed', { latency_ms: millisecondsSince(startedAt), ...describeError(error) })
        throw error
      }
    })
  }

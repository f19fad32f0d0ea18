import { fieldsOf } from '../json/is-object.ts'
import { describeError } from './describe-error.ts'
import { within } from './invocation.ts'
import { logEnd } from './log.ts'

export const millisecondsSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10

/** A handler that no request calls: its lines say which run of what they belong to, and the last one how it ended. */
export const watched =
  <A extends [event?: unknown, context?: unknown], R>(operation: string, work: (...given: A) => Promise<R>) =>
  (...given: A): Promise<R> =>
    within({ operation, request_id: fieldsOf(given[1]).awsRequestId }, async () => {
      const startedAt = performance.now()
      try {
        const result = await work(...given)
        logEnd('INFO', 'run', { latency_ms: millisecondsSince(startedAt) })
        return result
      } catch (error) {
        logEnd('ERROR', 'run_failed', { latency_ms: millisecondsSince(startedAt), ...describeError(error) })
        throw error
      }
    })

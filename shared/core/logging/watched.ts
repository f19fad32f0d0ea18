import { clock } from '../clock.ts'
import { fieldsOf } from '../json/is-object.ts'
import { describeError } from './describe-error.ts'
import { runInvocation } from './invocation.ts'
import { logEnd } from './log.ts'

export const millisecondsSince = (startedAt: number): number => Math.round((clock.monotonic() - startedAt) * 10) / 10

/** Creates the handler of a schedule, consumer or task. Its log lines name the run; the last line reports the outcome. */
export const watched =
  <A extends [event?: unknown, context?: unknown], R>(operation: string, work: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    runInvocation({ operation, request_id: fieldsOf(args[1]).awsRequestId }, async () => {
      const startedAt = clock.monotonic()
      try {
        const result = await work(...args)
        logEnd('INFO', 'run', { latency_ms: millisecondsSince(startedAt) })
        return result
      } catch (error) {
        logEnd('ERROR', 'run_failed', { latency_ms: millisecondsSince(startedAt), ...describeError(error) })
        throw error
      }
    })

/** Creates a `watched` handler. After its deadline on the monotonic clock, the work starts nothing new. */
export const scheduled = (operation: string, budgetMs: number, work: (deadline: number) => Promise<unknown>) =>
  watched(operation, () => work(clock.monotonic() + budgetMs))

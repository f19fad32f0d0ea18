import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { clock } from '../clock.ts'
import { describeError } from '../logging/describe-error.ts'
import { type LogFields, measure, runInvocation } from '../logging/invocation.ts'
import { logEnd } from '../logging/log.ts'
import { millisecondsSince } from '../logging/watched.ts'
import { inWorkTime, workTime } from './work.ts'

/** Step before the handler of a request. A returned response ends the request. */
// biome-ignore lint/suspicious/noConfusingVoidType: most steps return nothing
export type Middleware<E, A, S> = (state: S, event: E) => Promise<A | void> | A | void

type Endpoint<E, A, S> = {
  line: 'request' | 'live'
  fields: (event: E, context: Partial<Context>) => LogFields
  open: (event: E) => S
  steps: readonly Middleware<E, A, S>[]
  handle: (state: S, event: E) => Promise<A>
  /** Returns the response to a failure. @throws the error of a failure without a response */
  fail: (error: unknown, state: S, event: E) => Promise<A> | A
}

/** Creates a Lambda handler for requests, which runs the steps and then `handle`. The last log line reports the outcome. */
export function endpoint<E, A extends { statusCode?: number }, S>({
  line,
  fields,
  open,
  steps,
  handle,
  fail,
}: Endpoint<E, A, S>) {
  type State = Context & { state: S }
  const stack = middy<E, A, Error, State>().onError(async (request) => {
    // Casts the context, which Middy does not type for errors.
    request.response = await fail(request.error, (request.context as State).state, request.event)
  })
  for (const step of steps) stack.before(({ event, context }) => step(context.state, event))
  const handler = stack.handler((event: E, { state }: State) => handle(state, event))
  const respond = async (event: E, context: Partial<Context>): Promise<A> => {
    const startedAt = clock.monotonic()
    const end = (status = 500): void => {
      measure('latency_ms', millisecondsSince(startedAt))
      measure('faults', Number(status >= 500))
    }
    const state = open(event)
    try {
      const response: A = await handler(event, { ...context, state } as State)
      end(response.statusCode)
      logEnd('INFO', line, { status: response.statusCode })
      return response
    } catch (failure) {
      end()
      logEnd('ERROR', 'run_failed', describeError(failure))
      throw failure
    }
  }
  return (event: E, context: Partial<Context> = {}): Promise<A> =>
    runInvocation(fields(event, context), () => inWorkTime(workTime.retries(), () => respond(event, context)))
}

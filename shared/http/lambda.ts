import middy from '@middy/core'
import type { APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda'
import * as v from 'valibot'
import type { Caller } from '../auth/caller.ts'
import type { Subject } from '../auth/subject.ts'
import { logLine } from '../log.ts'
import type { Context, Operation, Page } from '../operation.ts'
import { draft } from '../values/draft.ts'
import type { Event, Exchange, Step } from './exchange.ts'
import { toJson } from './json.ts'
import { originOf } from './origin.ts'
import { problem } from './problem.ts'
import { readBody } from './read-body.ts'
import { requestIdOf } from './request-id.ts'
import {
  checkAccept,
  checkCredential,
  checkPathIds,
  checkPermission,
  limitBody,
  logRequest,
  readEnvelope,
  readQuery,
} from './steps.ts'

type Invocation = LambdaContext & { exchange: Exchange; startedAt: number }
type Answer = APIGatewayProxyStructuredResultV2
export type Handler = (event: Event, context?: Partial<LambdaContext>) => Promise<Answer>

/** The order of checks of the account API (A4). */
const accountSteps = (operation: Operation): Step[] => [
  limitBody,
  checkCredential('api'),
  // The rate limit (A9) belongs here: behind the credential, before the request log.
  logRequest(operation),
  checkPermission(operation),
  checkAccept,
  checkPathIds,
  // Account features (A28) and Idempotency-Key (A8.3) belong here.
  readQuery(operation),
  readEnvelope(operation),
]

/** The order of checks of the access plane (P1.1). */
const accessSteps = (operation: Operation, credential: 'client' | 'gateway'): Step[] => [
  limitBody,
  checkCredential(credential),
  checkPathIds,
  readQuery(operation),
  readEnvelope(operation),
]

function stepsOf(operation: Operation): Step[] {
  const { credential = 'api' } = operation
  if (credential === 'api') return accountSteps(operation)
  return credential === 'ingest' ? [] : accessSteps(operation, credential)
}

export const openExchange = (event: Event): Exchange => ({
  requestId: requestIdOf(event.headers['x-request-id']),
  origin: originOf(event),
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  params: {},
  query: new URLSearchParams(),
  headers: {},
})

function contextOf(operation: Operation, exchange: Exchange, event: Event): Context {
  const { requestId, caller, subject, params, query, page, raw, body } = exchange
  const fields = operation.body?.fields
  const drafted = () => {
    if (!fields) throw new Error('This operation has no fields.')
    return draft<never>(fields, exchange.raw)
  }
  return {
    requestId,
    accountId: caller?.account.id as string,
    subject: subject as Subject,
    author: { accountId: caller?.account.id as string, subject: subject ?? null },
    caller: caller as Caller,
    params,
    query,
    page: page as Page,
    raw,
    envelope() {
      exchange.raw = readBody(operation, exchange.body, event.headers['content-type'])
    },
    draft: drafted,
    input: () => drafted().done(),
    body,
    headers: event.headers,
  }
}

/** The answer of a success: only what the response schema names leaves the service. */
function success(operation: Operation, exchange: Exchange, result: unknown): Answer {
  const body = v.parse(operation.response, result)
  return {
    statusCode: isRepeat(operation, result) ? 200 : (operation.status ?? 200),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': operation.secret ? 'no-store' : 'private, no-cache',
      ...exchange.headers,
      ...(operation.location && { location: operation.location(body, exchange.params) }),
      'x-request-id': exchange.requestId,
    },
    body: toJson(body),
  }
}

const isRepeat = ({ repeatable }: Operation, result: unknown): boolean =>
  repeatable === true && (result as { repeated?: boolean }).repeated === true

/** The Lambda handler of an operation: the steps of its pipeline, then the operation, then its answer. */
export function lambda(operation: Operation): Handler {
  const steps = stepsOf(operation)
  const stack = middy<Event, Answer, Error, Invocation>().use({
    before: ({ event, context }) => {
      context.startedAt = performance.now()
      context.exchange = openExchange(event)
    },
    after: ({ event, context, response }) => logInvocation(operation, event, context, response),
    onError: async (request) => {
      const { event, context, error } = request
      const requestId = context.exchange?.requestId ?? requestIdOf(event.headers['x-request-id'])
      // An answer of step 5 or later leaves only when its log entry is stored.
      const failure = await (context.exchange?.requestLogged ?? Promise.resolve()).then(
        () => error,
        (unstored: unknown) => unstored,
      )
      request.response = problem(failure, requestId, context.exchange?.headers)
      logInvocation(operation, event, context, request.response)
    },
  })
  for (const step of steps) {
    stack.before(async ({ event, context }) => {
      await step(context.exchange, event)
    })
  }
  const handler = stack.handler(async (event: Event, { exchange }: Invocation) => {
    const result = await operation.handle(contextOf(operation, exchange, event))
    await exchange.requestLogged
    return success(operation, exchange, result)
  })
  return (event, context = {}) => handler(event, { ...context } as Invocation) as Promise<Answer>
}

function logInvocation(
  operation: Operation,
  event: Event,
  context: Invocation,
  response: Answer | null | undefined,
): void {
  logLine('INFO', 'request', {
    request_id: context.exchange?.requestId,
    route: `${operation.method} ${operation.path}`,
    method: event.requestContext.http.method,
    status: response?.statusCode,
    account_id: context.exchange?.caller?.account.id,
    duration_ms: Math.round((performance.now() - (context.startedAt ?? performance.now())) * 10) / 10,
  })
}

import middy from '@middy/core'
import type { Context as LambdaContext } from 'aws-lambda'
import { isAdministering, scopesOf } from '../auth/caller.ts'
import { workTime } from '../commit/work-time.ts'
import { toJson } from '../core/json/json.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { measure, note, within } from '../core/logging/invocation.ts'
import { logEnd, logLine } from '../core/logging/log.ts'
import { millisecondsSince } from '../core/logging/watched.ts'
import { serviceAddress } from '../core/service-address.ts'
import { inWorkTime } from '../core/work/work.ts'
import { draft } from '../values/draft.ts'
import { isKnown, tagOf, tagText } from './entity-tag.ts'
import type { Answer, Event, Exchange, IdempotencyLock } from './exchange.ts'
import { releaseLock, saveAnswer, savedAnswerWrite } from './idempotency.ts'
import type { Context, Operation } from './operation.ts'
import { classOf } from './operation-class.ts'
import { originOf } from './origin.ts'
import { stepsOf } from './pipeline.ts'
import { preconditionOf } from './precondition.ts'
import { problem } from './problem.ts'
import { readBody } from './read-body.ts'
import { requestIdOf } from './request-id.ts'
import { shownAs } from './shown.ts'
import { isV0, v0Headers } from './v0-headers.ts'
import { limitV0List } from './v0-list.ts'
import { v0Problem } from './v0-problem.ts'

type Invocation = LambdaContext & { exchange: Exchange; startedAt: number }
export type Handler = (event: Event, context?: Partial<LambdaContext>) => Promise<Answer>

const openExchange = async (event: Event): Promise<Exchange> => ({
  requestId: requestIdOf(event.headers['x-request-id']),
  origin: await originOf(event),
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  params: {},
  query: new URLSearchParams(),
  headers: {},
})

function contextOf(operation: Operation, exchange: Exchange, event: Event): Context {
  const { requestId, origin, caller, subject, claims, params, query, page, raw, body } = exchange
  const fields = operation.body?.fields
  const drafted = () => {
    if (!fields) throw new Error('This operation has no fields.')
    return draft(fields, exchange.raw)
  }
  const context: Context = {
    requestId,
    origin,
    address: serviceAddress(event.requestContext.domainName),
    ...(caller && {
      caller,
      accountId: caller.account.id,
      author: {
        accountId: caller.account.id,
        subject: subject ?? null,
        scopes: isAdministering(caller) ? scopesOf(caller) : [],
        precondition: preconditionOf(operation, event.headers['if-match'], () => context),
        keepAnswer: exchange.lock && savingOf(operation, exchange, exchange.lock),
      },
    }),
    subject,
    claims,
    params,
    query,
    page,
    raw,
    envelope() {
      exchange.raw = readBody(operation, exchange.body, event.headers['content-type'])
    },
    draft: drafted,
    input: () => drafted().done(),
    body,
    headers: event.headers,
  }
  return context
}

/** Keeps the answer with the commit of its result. */
const savingOf = (operation: Operation, exchange: Exchange, run: IdempotencyLock) => async (result: unknown) => {
  const answer = success(operation, exchange, result)
  exchange.saved = { result, answer }
  return savedAnswerWrite(run, answer)
}

/** The answer of a success: only what the response schema names leaves the service. */
function success(operation: Operation, exchange: Exchange, result: unknown): Answer {
  const body = shownAs(operation.response, result)
  if (operation.status === 303) return redirection(exchange, body)
  const text = body === undefined ? '' : toJson(body)
  const legacy = isV0(operation.path)
  if (legacy) limitV0List(operation, body, text)
  const tag = tagOf(body)
  return {
    statusCode: statusOf(operation, result),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': operation.secret ? 'no-store' : 'private, no-cache',
      ...(legacy && v0Headers(operation.path)),
      ...exchange.headers,
      ...(tag && isAccountApi(operation) && { etag: tagText(tag) }),
      ...(operation.location && { location: operation.location(body, exchange.params) }),
      'x-request-id': exchange.requestId,
    },
    body: text,
  }
}

/** Leads a browser elsewhere; where it came from, and what stood in its address, is nobody's there. */
const redirection = ({ headers, requestId }: Exchange, { location }: { location: string }): Answer => ({
  statusCode: 303,
  headers: {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...headers,
    'x-request-id': requestId,
  },
  body: '',
})

/** Only the account API has entity tags and preconditions (A8). */
const isAccountApi = ({ credential = 'api', path }: Operation): boolean => credential === 'api' && !isV0(path)

/** 304 where the caller has what it asks for (A8.2). */
function unlessKnown({ method }: Operation, answer: Answer, { headers }: Event): Answer {
  const known = headers['if-none-match']
  const tag = answer.headers?.etag
  if (method !== 'GET' || known === undefined || tag === undefined || !isKnown(known, String(tag))) return answer
  const { 'content-type': _type, ...kept } = answer.headers ?? {}
  return { statusCode: 304, headers: kept }
}

function statusOf({ repeatable, canContinue, status = 200 }: Operation, result: unknown): number {
  const { repeated, metadata } = (result ?? {}) as { repeated?: boolean; metadata?: object }
  if (repeatable && repeated) return 200
  return canContinue && metadata ? 202 : status
}

/** The Lambda handler of an operation: the steps of its pipeline, then the operation, then its answer. */
export function lambda(operation: Operation): Handler {
  const steps = stepsOf(operation)
  const answerOf = isV0(operation.path) ? v0Problem : problem
  const stack = middy<Event, Answer, Error, Invocation>().use({
    before: async ({ event, context }) => {
      context.startedAt = performance.now()
      context.exchange = await openExchange(event)
      note({ request_id: context.exchange.requestId })
    },
    after: ({ context, response }) => logInvocation(context, response),
    onError: async (request) => {
      const { event, context, error } = request
      // Middy leaves the context of an error untyped; it has no exchange when the event could not be read.
      const exchange: Exchange | undefined = context.exchange
      const requestId = exchange?.requestId ?? requestIdOf(event.headers['x-request-id'])
      note({ request_id: requestId })
      // An answer of step 5 or later leaves only when its log entry is stored.
      const failure = await (exchange?.requestLogged ?? Promise.resolve()).then(
        () => error,
        (unstored: unknown) => unstored,
      )
      request.response = answerOf(failure, requestId, exchange?.headers ?? {}, operation.path)
      if (exchange?.lock) await settle(exchange.lock, request.response)
      logInvocation(context, request.response)
    },
  })
  for (const step of steps) {
    stack.before(async ({ event, context }) => {
      const answer = await step(context.exchange, event)
      note({ account_id: accountIdOf(context.exchange) })
      if (!answer) return
      logInvocation(context, answer)
      return answer
    })
  }
  const handler = stack.handler(async (event: Event, { exchange }: Invocation) => {
    const result = await operation.handle(contextOf(operation, exchange, event))
    await exchange.requestLogged
    const { saved } = exchange
    if (saved && saved.result === result) return saved.answer
    const answer = success(operation, exchange, result)
    if (exchange.lock) await saveAnswer(exchange.lock, answer)
    return unlessKnown(operation, answer, event)
  })
  const name = `${operation.method} ${operation.path}`
  const kind = classOf(operation)
  return (event, context = {}) => {
    const { method } = event.requestContext.http
    const other = method === operation.method ? undefined : method
    const fields = { class: kind, operation: name, method: other, function_request_id: context.awsRequestId }
    return within(fields, () =>
      inWorkTime(workTime.retries(), () => handler(event, { ...context } as Invocation) as Promise<Answer>),
    )
  }
}

/** A failure of the request's own is kept, too; after one of the service's, the key is free again (A8.3). */
async function settle(run: IdempotencyLock, answer: Answer): Promise<void> {
  const status = answer.statusCode ?? 500
  try {
    await (status < 500 && status !== 429 ? saveAnswer(run, answer) : releaseLock(run))
  } catch (error) {
    // The key frees itself when the run is over.
    logLine('ERROR', 'answer_not_kept', describeError(error))
  }
}

const accountIdOf = ({ caller, claims }: Exchange): string | undefined => caller?.account.id ?? claims?.account_id

function logInvocation(context: Invocation, response: Answer | null | undefined): void {
  measure('latency_ms', millisecondsSince(context.startedAt ?? performance.now()))
  measure('faults', Number((response?.statusCode ?? 500) >= 500))
  logEnd('INFO', 'request', { status: response?.statusCode })
}

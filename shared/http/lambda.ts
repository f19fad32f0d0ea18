import type { Context as LambdaContext } from 'aws-lambda'
import * as v from 'valibot'
import { isAdministering, scopesOf } from '../auth/caller.ts'
import { toJson } from '../core/json/json.ts'
import { recordOf } from '../core/json/record-of.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { logLine } from '../core/logging/log.ts'
import { serviceAddress } from '../core/service-address.ts'
import { endpoint } from '../core/work/endpoint.ts'
import { Metadata } from '../table/list.ts'
import { ScanMetadata } from '../table/scan-rows.ts'
import { draft } from '../values/draft.ts'
import { isKnown, preconditionOf, tagOf, tagText } from './entity-tag.ts'
import { type Answer, type Event, type Exchange, type IdempotencyLock, openExchange, redirectTo } from './exchange.ts'
import { releaseLock, saveAnswer, savedAnswerWrite } from './idempotency.ts'
import type { Context, Contract, Operation, Route } from './operation.ts'
import { classOf } from './operation-class.ts'
import { readOrigin } from './origin.ts'
import { stepsOf } from './pipeline.ts'
import { problem } from './problem.ts'
import { readBody } from './read-body.ts'
import { isV0, v0Headers } from './v0-headers.ts'
import { limitV0List, v0Problem } from './v0-problem.ts'

export type Handler = (event: Event, context?: Partial<LambdaContext>) => Promise<Answer>

export type Endpoint = Handler & { operation: Operation }

export type Family<K extends string = string> = Handler & { operations: Record<K, Operation> }

function contextOf(operation: Operation, exchange: Exchange, event: Event): Context {
  const { caller, subject } = exchange
  const fields = operation.body?.fields
  const createDraft = () => {
    if (!fields) throw new Error('This operation has no request fields.')
    return draft(fields, exchange.raw)
  }
  const context: Context = {
    ...exchange,
    page: exchange.page,
    raw: exchange.raw,
    headers: event.headers,
    address: serviceAddress(event.requestContext.domainName),
    ...(caller && {
      accountId: caller.account.id,
      author: {
        accountId: caller.account.id,
        subject: subject ?? null,
        scopes: isAdministering(caller) ? scopesOf(caller) : [],
        precondition: preconditionOf(operation, event.headers['if-match'], () => context),
        responseWrite: exchange.lock && answerSaver(operation, exchange, exchange.lock),
      },
    }),
    envelope() {
      exchange.raw = readBody(operation, exchange.body, event.headers['content-type'])
    },
    draft: createDraft,
    input: () => createDraft().done(),
  }
  return context
}

/** Creates a function that stores the response of a request in the commit of its result (A8.3). */
const answerSaver = (operation: Operation, exchange: Exchange, run: IdempotencyLock) => async (result: unknown) => {
  const answer = success(operation, exchange, result)
  exchange.saved = { result, answer }
  return savedAnswerWrite(run, answer)
}

/** Builds a successful response. Removes fields that are not in the response schema. */
function success(operation: Operation, exchange: Exchange, result: unknown): Answer {
  const body = v.parse(operation.response, result)
  const common = { ...exchange.headers, 'x-request-id': exchange.requestId }
  if (operation.status === 303) {
    const { headers, ...rest } = redirectTo(body.location)
    return { ...rest, headers: { ...headers, ...common } }
  }
  const text = body === undefined ? '' : toJson(body)
  const legacy = isV0(operation.path)
  if (legacy) limitV0List(operation, body, text)
  const tag = tagOf(body)
  const { cookies } = (result ?? {}) as { cookies?: string[] }
  return {
    statusCode: statusOf(operation, result),
    ...(cookies && { cookies }),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': operation.secret ? 'no-store' : 'private, no-cache',
      ...(legacy && v0Headers(operation.path)),
      ...common,
      ...(tag && isAccountApi(operation) && { etag: tagText(tag) }),
      ...(operation.location && { location: createdPath(operation, exchange, body) }),
    },
    body: text,
  }
}

const createdPath = ({ path }: Operation, { params }: Exchange, { data }: { data: { id: string } }): string =>
  `${path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? '')}/${data.id}`

/** True for operations of the account API. No other operations have entity tags and preconditions (A8). */
const isAccountApi = ({ credential = 'api', path }: Operation): boolean => credential === 'api' && !isV0(path)

/** Returns 304 if `If-None-Match` contains the object's tag (A8.2). */
function unlessUnchanged({ method }: Operation, answer: Answer, { headers }: Event): Answer {
  const ifNoneMatch = headers['if-none-match']
  const tag = answer.headers?.etag
  if (method !== 'GET' || ifNoneMatch === undefined || tag === undefined || !isKnown(ifNoneMatch, String(tag)))
    return answer
  const { 'content-type': _type, ...kept } = answer.headers ?? {}
  return { statusCode: 304, headers: kept }
}

function statusOf({ repeatable, canContinue, status }: Operation, result: unknown): number {
  const { repeated, metadata } = (result ?? {}) as { repeated?: boolean; metadata?: object }
  if (repeatable && repeated) return 200
  return canContinue && metadata ? 202 : status
}

/** Creates the Lambda handler of an operation. It runs the steps of the pipeline and then `handle`. */
export function operation<const R extends Route, const C extends Contract>(
  route: R,
  contract: C,
  handle: Operation<R, C>['handle'],
): Endpoint {
  const [method, path] = route.split(' ') as [Operation['method'], Operation['path']]
  const alias = method === 'PATCH' && contract.body?.fields ? 'PUT' : undefined
  const status = method === 'POST' ? 201 : 200
  const feature = contract.permission?.startsWith('mdm:') ? 'device_posture' : undefined
  const contractOperation = { status, feature, ...contract, method, path, alias, handle } as const
  return Object.assign(lambda(contractOperation), { operation: contractOperation })
}

/** Creates the Lambda handler of operations that differ only in the kind of their object. The route contains the kind. */
export function family<const K extends string>(kinds: readonly K[], make: (kind: K) => Endpoint): Family<K> {
  const endpoints = recordOf(kinds, make)
  const all: Endpoint[] = Object.values(endpoints)
  const handler: Handler = async (event, context) => {
    const endpoint = all.find(({ operation }) => event.routeKey.endsWith(` ${operation.path}`))
    if (!endpoint) throw new Error(`No operation of this function has the route ${event.routeKey}.`)
    return endpoint(event, context)
  }
  return Object.assign(handler, { operations: recordOf(kinds, (kind) => endpoints[kind].operation) })
}

function lambda(operation: Operation): Handler {
  const renderError = isV0(operation.path) ? v0Problem : problem
  const name = `${operation.method} ${operation.path}`
  const kind = classOf(operation)
  return endpoint<Event, Answer, Exchange>({
    line: 'request',
    fields({ requestContext }, { awsRequestId }) {
      const { method } = requestContext.http
      const other = method === operation.method ? undefined : method
      return { class: kind, operation: name, method: other, function_request_id: awsRequestId }
    },
    open: openExchange,
    steps: [readOrigin, ...stepsOf(operation)],
    async handle(exchange, event) {
      const result = await operation.handle(contextOf(operation, exchange, event))
      await exchange.requestLogged
      const { saved } = exchange
      if (saved && saved.result === result) return saved.answer
      const answer = success(operation, exchange, result)
      if (exchange.lock) await saveAnswer(exchange.lock, answer)
      return unlessUnchanged(operation, answer, event)
    },
    async fail(error, { requestId, requestLogged, headers, lock }) {
      // Waits until the log entry of the request is stored, as every response from step 5 on must (A4). If the entry cannot be stored,
      // responds with that error.
      const failure = await Promise.resolve(requestLogged).then(
        () => error,
        (unstored: unknown) => unstored,
      )
      const answer = renderError(failure, requestId, headers, operation.path)
      if (lock) await settleLock(lock, answer)
      return answer
    },
  })
}

/** Stores an error response for replay. After a server error or 429, releases the key instead (A8.3). */
async function settleLock(run: IdempotencyLock, answer: Answer): Promise<void> {
  const status = answer.statusCode ?? 500
  try {
    await (status < 500 && status !== 429 ? saveAnswer(run, answer) : releaseLock(run))
  } catch (error) {
    // Logs the failure and continues, because the lock expires even if it is not released.
    logLine('ERROR', 'answer_not_kept', describeError(error))
  }
}

/** Builds the response schema of a single object (A2.3). */
export const data = <S extends v.GenericSchema>(schema: S) => v.object({ data: schema })

export const idOnly = data(v.object({ id: v.string() }))

/** Response schema of a bulk deletion (A2.7). */
export const deletedCount = data(v.object({ deleted_count: v.number() }))

/** Builds the response schema of a list (A7). */
export const list = <S extends v.GenericSchema>(schema: S) => v.object({ data: v.array(schema), metadata: Metadata })

/** Builds the response schema of a list with scan filters (K11.G13). */
export const scannedList = <S extends v.GenericSchema>(schema: S) =>
  v.object({ data: v.array(schema), metadata: ScanMetadata })

/**
 * Builds the response schema of a change that may continue after the response (202). `pending` is the number of entries still to be written
 * (A15.6).
 */
export const progressing = <S extends v.GenericSchema>(schema: S) =>
  v.object({ data: schema, metadata: v.optional(v.object({ pending: v.pipe(v.number(), v.integer()) })) })

export const emptyAnswer = v.void()

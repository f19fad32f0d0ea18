import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Caller } from '../auth/caller.ts'
import type { Bucket } from '../auth/rate-limit/bucket.ts'
import { note } from '../core/logging/invocation.ts'
import type { Origin, Subject } from '../core/subject.ts'
import type { Middleware } from '../core/work/endpoint.ts'
import type { IngestClaims } from '../logs/flows/ingest-token.ts'
import type { Key } from '../table/keys.ts'
import { canonicalIp } from '../values/ip.ts'
import type { Page } from '../values/page.ts'
import type { Operation } from './operation.ts'

/** Lock on an Idempotency-Key. Blocks other requests with the key until this request has a response, or the lock expires. */
export type IdempotencyLock = { key: Key; id: string; secret: Buffer; fingerprint: string }

/** State of a request, to which the steps of the pipeline add (A4). */
export type Exchange = {
  requestId: string
  origin: Origin
  body: Buffer
  caller?: Caller
  subject?: Subject
  /** Claims of an ingest token. A request with an ingest token has no caller. */
  claims?: IngestClaims
  bucket?: Bucket
  params: Record<string, string>
  query: URLSearchParams
  page?: Page
  raw?: unknown
  /** Pending write of the request log entry. Every response waits for this write. */
  requestLogged?: Promise<void>
  lock?: IdempotencyLock
  /** Response that was stored in the commit of `result`. */
  saved?: { result: unknown; answer: Answer }
  /** Headers to add to every response that follows. */
  headers: Record<string, string>
}

export type Answer = APIGatewayProxyStructuredResultV2
export type Event = APIGatewayProxyEventV2

/** Step of the pipeline. A step ends the request by returning a response or throwing an ApiError. */
export type Step = Middleware<Event, Answer, Exchange>

export type OperationStep = (...parameters: [...Parameters<Step>, operation: Operation]) => ReturnType<Step>

/** Returns the caller's request id if it is valid (A2.10). Otherwise, returns a new id. */
export const requestIdOf = (header: string | undefined): string =>
  header !== undefined && /^[A-Za-z0-9._-]{1,200}$/.test(header) ? header : randomUUID()

/** Returns the origin of a request as API Gateway reports it, without a location (P8). */
export function sourceOf({ headers, requestContext }: Event): Origin {
  const { sourceIp } = requestContext.http
  const user_agent = headers['user-agent']?.slice(0, 255).toWellFormed() || null
  const unknown = { ip_region: null, ip_city: null, ip_lat: null, ip_lon: null }
  return { ip: canonicalIp(sourceIp) ?? sourceIp, ...unknown, user_agent }
}

/** Parses the quality values in a header such as `Accept`. The keys are the ranges in the header (RFC 9110, 12.4.2). */
export const qualitiesOf = (header: string): Map<string, number> =>
  new Map(
    header.split(',').map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, q ? Number(q.slice(2)) : 1]
    }),
  )

/** Builds a redirect that browsers follow with `GET`. The redirect is not cached and sends no referrer. */
export const redirectTo = (location: string): Answer => ({
  statusCode: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
})

export function openExchange(event: Event): Exchange {
  const requestId = requestIdOf(event.headers['x-request-id'])
  note({ request_id: requestId })
  return {
    requestId,
    origin: sourceOf(event),
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    params: {},
    query: new URLSearchParams(),
    headers: {},
  }
}

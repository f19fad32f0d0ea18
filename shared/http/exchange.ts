import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Caller } from '../auth/caller.ts'
import type { Bucket } from '../auth/rate-limit/bucket.ts'
import type { Origin, Subject } from '../core/subject.ts'
import type { IngestClaims } from '../logs/flows/ingest-token.ts'
import type { Key } from '../table/keys.ts'
import type { Page } from '../values/page.ts'

/** A request that holds its key: nobody else runs with it until this one has an answer, or has died. */
export type IdempotencyLock = { key: Key; id: string; accountId: string; fingerprint: string }

/** The state of a request on its way through the pipeline (A4); each step adds what it found out. */
export type Exchange = {
  requestId: string
  origin: Origin
  body: Buffer
  caller?: Caller
  subject?: Subject
  /** The claims of an ingest token; such a request has no caller. */
  claims?: IngestClaims
  bucket?: Bucket
  params: Record<string, string>
  query: URLSearchParams
  page?: Page
  raw?: unknown
  /** The request log entry on its way; no answer leaves before it is stored. */
  requestLogged?: Promise<void>
  /** The hold on its Idempotency-Key. */
  lock?: IdempotencyLock
  /** The answer that the commit of `result` has kept. */
  saved?: { result: unknown; answer: Answer }
  /** Headers that every answer from here on carries. */
  headers: Record<string, string>
}

export type Answer = APIGatewayProxyStructuredResultV2
export type Event = APIGatewayProxyEventV2

/** One step of the pipeline. It ends the request with an answer, or by throwing an ApiError. */
// biome-ignore lint/suspicious/noConfusingVoidType: most steps return nothing
export type Step = (exchange: Exchange, event: Event) => Promise<Answer | void> | Answer | void

import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Caller } from '../auth/caller.ts'
import type { Origin, Subject } from '../auth/subject.ts'
import type { Page } from '../operation.ts'

/** What the steps of the pipeline (A4) have found out about a request. */
export type Exchange = {
  requestId: string
  origin: Origin
  body: Buffer
  caller?: Caller
  subject?: Subject
  params: Record<string, string>
  query: URLSearchParams
  page?: Page
  raw?: unknown
  /** The request log entry on its way; no answer leaves before it is stored. */
  requestLogged?: Promise<void>
  /** Headers that every answer from here on carries. */
  headers: Record<string, string>
}

export type Event = APIGatewayProxyEventV2

/** One step of the pipeline. It throws an ApiError to end the request. */
export type Step = (exchange: Exchange, event: Event) => Promise<void> | void

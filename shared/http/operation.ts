import type * as v from 'valibot'
import type { CallerOf, Credential } from '../auth/caller.ts'
import type { PublicStep } from '../auth/rate-limit/bucket.ts'
import type { Author } from '../commit/commit.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Permission } from '../core/permission.ts'
import type { Origin, Subject } from '../core/subject.ts'
import type { FeatureName } from '../domain/accounts/account.ts'
import type { IngestClaims } from '../logs/flows/ingest-token.ts'
import type { Draft, Fields } from '../values/draft.ts'
import type { JsonSchema } from '../values/field.ts'
import type { Filter } from '../values/filters.ts'
import type { Page } from '../values/page.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema of any type
type Schema = v.GenericSchema<any, any>

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Method and path of an operation, in the form of a route key of API Gateway. */
export type Route = `${Method} /${string}`

/** Contract of an operation with its callers; source of permission, OpenAPI document, local server and laws. */
export type Contract = {
  /** Common name of a family of collections. Their operations with the same method and path pattern share a function. */
  family?: string
  summary: string
  /** Kind of token; one of the account API by default. `none`: no credential (I2). */
  credential?: Credential | 'ingest' | 'none'
  /** Rate limit bucket of the source address, for requests without a credential (A9); `look` by default. */
  step?: PublicStep
  permission?: Permission
  /** The `GET` operation whose ETag is compared with `If-Match`: that of the object to change or delete (A8.2). */
  etagFrom?: Operation
  /** Error codes (A5) other than those that follow from the other fields. */
  refusals?: readonly ErrorCode[]
  body?: {
    /** Single key of the body (A2.4); null if the fields are directly in the body (P6). */
    envelope: string | null
    /** JSON type of the envelope's value; anything else is 400. */
    shape?: 'object' | 'list'
    /** True if the handler checks the envelope, after the existence and refusals of the object (A14.3). */
    checkedByHandler?: boolean
    /** True if the body, or its envelope, may be omitted. */
    optional?: boolean
    fields?: Fields
    /** JSON Schema, for the API document, of a value that the handler checks without `fields`. */
    value?: JsonSchema
    /** Accepted content encodings. */
    encodings?: readonly string[]
  }
  /** Schema of the body of a 422 without messages by field (L8). */
  rejection?: Schema
  /** Path parameters whose form differs from A6.1. */
  identifiers?: Record<string, JsonSchema>
  /** Filters of a paged list (A7.3). */
  filters?: Record<string, Filter>
  /** Query parameters that the handler reads itself. */
  parameters?: Record<string, JsonSchema>
  /** Schema of the whole response body; other fields are dropped. */
  response: Schema
  /** 201 by default for `POST`, else 200. 303 redirects the caller's browser to the `location` of the response, without a body. */
  status?: 200 | 201 | 202 | 204 | 303
  /** True if the handler may return `repeated: true` for an existing result; the status is then 200. */
  repeatable?: boolean
  /** True if a change may continue after the response. A `progressing` response with pending entries has the status 202. */
  canContinue?: boolean
  /** True if the response has a `Location` header with the path of the created object (A2.7). */
  location?: boolean
  /** True if the response contains a secret, and needs `Cache-Control: no-store` (A2.11). */
  secret?: boolean
  /** True if the operation lists its own request log entry, and so runs after that is stored (L2.6). */
  waitForRequestLog?: boolean
}

type FieldsOf<C extends Contract> = C extends { body: { fields: infer F extends Fields } } ? F : never

/** The names in braces of a path. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never
type Params<R extends Route> = Record<`GET /${string}` extends R ? string : PathParams<R>, string>

/** A JSON object or list, by the contract's `shape`; unknown if the handler checks the envelope. */
type RawOf<C extends Contract> = C extends { body: infer B }
  ? B extends { checkedByHandler: true }
    ? unknown
    :
        | (B extends { shape: 'list' } ? unknown[] : Record<string, unknown>)
        | (B extends { optional: true } ? undefined : never)
  : undefined

type CredentialOf<C extends Contract> = C extends { credential: infer K } ? K : 'api'

/** Paging of a list; undefined if a request under `/v0` names no page (`/v0` contract, 6.2). */
type PageOf<R extends Route, C extends Contract> = C extends { filters: object }
  ? R extends `GET /v0/${string}`
    ? Page | undefined
    : Page
  : Page | undefined

/** Context of a handler with any credential. */
type Request<R extends Route, C extends Contract> = {
  requestId: string
  origin: Origin
  /** Address of the service, without a trailing slash. */
  address: string
  params: Params<R>
  query: URLSearchParams
  /** Checked paging and filters of a list. */
  page: PageOf<R, C>
  /** The envelope's value as sent; undefined if an optional one was omitted. */
  raw: RawOf<C>
  /** Checks an envelope that is `checkedByHandler`. @throws ApiError 400 */
  envelope(): void
  /** Returns the fields with their messages so far, for rules that also need stored rows. */
  draft(): Draft<v.InferOutput<FieldsOf<C>>>
  /** Returns the valid fields. @throws ApiError `validation_failed` (422) */
  input(): v.InferOutput<FieldsOf<C>>
  body: Buffer
  headers: Record<string, string | undefined>
}

/** Additional context of a request with a token of this kind. */
type CallerContext<K> = {
  caller: CallerOf<Extract<K, Credential>>
  accountId: string
  subject: Subject
  /** Author of a change, for the stores, with the preconditions of the request (A8). */
  author: Author
}

/** Context of a request with any credential. Members of other credentials are missing. */
type AnyContext = Omit<Request<Route, Contract>, 'raw' | 'draft' | 'input'> &
  Partial<CallerContext<Credential> & { claims: IngestClaims }> & { raw: unknown; draft(): unknown; input(): unknown }

/** Context by credential: claims of an ingest token, or a caller. */
type CredentialContext<K> = K extends 'ingest'
  ? { claims: IngestClaims }
  : K extends 'none'
    ? unknown
    : CallerContext<K>

export type Context<R extends Route = Route, C extends Contract = Contract> = Contract extends C
  ? AnyContext
  : Request<R, C> & CredentialContext<CredentialOf<C>>

export type Operation<R extends Route = Route, C extends Contract = Contract> = C & {
  method: Method
  path: `/${string}`
  /** Second method of the operation: `PUT` changes an object like `PATCH` (A2.8). */
  alias?: 'PUT'
  status: NonNullable<Contract['status']>
  /** A feature that the account needs (A28). */
  feature?: FeatureName
  // Declared as a method, so that its parameter is bivariant and every `Operation<R, C>` is assignable to `Operation`.
  handle(context: Context<R, C>): Promise<v.InferInput<C['response']>>
}

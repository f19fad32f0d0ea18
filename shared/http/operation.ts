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

/** Method and path of an operation, in the form of API Gateway's route keys. */
export type Route = `${Method} /${string}`

/** Contract of an operation with its callers. Permissions, the OpenAPI document, the local server and tests are derived from it. */
export type Contract = {
  /** Common name of a family of collections. Their operations with the same method and path pattern share a function. */
  family?: string
  summary: string
  /** Kind of token. By default a token of the account API, and `none` for requests without a credential (I2). */
  credential?: Credential | 'ingest' | 'none'
  /** Rate limit bucket of the source address for requests without a credential (A9). `look` by default. */
  step?: PublicStep
  permission?: Permission
  /** `GET` operation of the object to change or delete. Its ETag is compared with `If-Match` (A8.2). */
  etagFrom?: Operation
  /** Error codes (A5) other than those that follow from the other fields. */
  refusals?: readonly ErrorCode[]
  body?: {
    /** Key of the only member of the body (A2.4); null if the fields are directly in the body (P6). */
    envelope: string | null
    /** JSON type of the envelope's value. Any other type results in 400. */
    shape?: 'object' | 'list'
    /** True if the handler checks the envelope, after it has checked the object itself (A14.3). */
    checkedByHandler?: boolean
    /** True if the body, or its envelope, may be omitted. */
    optional?: boolean
    fields?: Fields
    /** JSON Schema of a value that the handler checks without `fields`, for the OpenAPI document. */
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
  /** Query parameters that the handler parses. */
  parameters?: Record<string, JsonSchema>
  /** Schema of the whole response body. Other fields are left out. */
  response: Schema
  /** Status of success: 201 by default for `POST`, otherwise 200. 303 redirects the caller's browser to `location`, without a body. */
  status?: 200 | 201 | 202 | 204 | 303
  /** True if the handler may return `repeated: true` for an existing result, which changes the status to 200. */
  repeatable?: boolean
  /** True if a change may continue after the response. A `progressing` response with pending entries has the status 202. */
  canContinue?: boolean
  /** True if the response has a `Location` header with the path of the created object (A2.7). */
  location?: boolean
  /** True if the response contains a secret, and needs `Cache-Control: no-store` (A2.11). */
  secret?: boolean
  /** True if the response contains the request's own log entry, which is therefore stored first (L2.6). */
  waitForRequestLog?: boolean
}

type FieldsOf<C extends Contract> = C extends { body: { fields: infer F extends Fields } } ? F : never

/** Names in braces of a path. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never
type Params<R extends Route> = Record<`GET /${string}` extends R ? string : PathParams<R>, string>

/** JSON object or list, by the contract's `shape`; unknown if the handler checks the envelope. */
type RawOf<C extends Contract> = C extends { body: infer B }
  ? B extends { checkedByHandler: true }
    ? unknown
    :
        | (B extends { shape: 'list' } ? unknown[] : Record<string, unknown>)
        | (B extends { optional: true } ? undefined : never)
  : undefined

type CredentialOf<C extends Contract> = C extends { credential: infer K } ? K : 'api'

/** Paging of a list; undefined if a request under `/v0` requests no page (`/v0` contract, 6.2). */
type PageOf<R extends Route, C extends Contract> = C extends { filters: object }
  ? R extends `GET /v0/${string}`
    ? Page | undefined
    : Page
  : Page | undefined

/** Context of a handler, regardless of the credential. */
type Request<R extends Route, C extends Contract> = {
  requestId: string
  origin: Origin
  /** Address of the service, without a trailing slash. */
  address: string
  params: Params<R>
  query: URLSearchParams
  /** Validated page and filters of a list. */
  page: PageOf<R, C>
  /** Value of the envelope, not validated; undefined if an optional envelope is missing. */
  raw: RawOf<C>
  /** Checks an envelope that is `checkedByHandler`. @throws ApiError 400 */
  envelope(): void
  /** Returns the fields with the messages so far, for rules that also depend on stored rows. */
  draft(): Draft<v.InferOutput<FieldsOf<C>>>
  /** Returns the validated fields. @throws ApiError `validation_failed` (422) */
  input(): v.InferOutput<FieldsOf<C>>
  body: Buffer
  headers: Record<string, string | undefined>
}

/** Additional context of a request with a token of one kind. */
type CallerContext<K> = {
  caller: CallerOf<Extract<K, Credential>>
  accountId: string
  subject: Subject
  /** Author of changes for the stores, with the preconditions of the request (A8). */
  author: Author
}

/** Context of a request with any credential. Members for other credentials are missing. */
type AnyContext = Omit<Request<Route, Contract>, 'raw' | 'draft' | 'input'> &
  Partial<CallerContext<Credential> & { claims: IngestClaims }> & { raw: unknown; draft(): unknown; input(): unknown }

/** Context by credential: the claims of an ingest token, or a caller. */
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
  /** Second method of the operation. `PUT` changes an object like `PATCH` (A2.8). */
  alias?: 'PUT'
  status: NonNullable<Contract['status']>
  /** Feature that the account must have (A28). */
  feature?: FeatureName
  // Declared as a method, so that its parameter is bivariant and every `Operation<R, C>` is assignable to `Operation`.
  handle(context: Context<R, C>): Promise<v.InferInput<C['response']>>
}

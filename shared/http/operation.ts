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

/** Contract of an operation. Permissions, the OpenAPI document, the local server and tests are derived from it. */
export type Contract = {
  /** Name shared by a family of collections. Operations of a family with the same method and path pattern share a Lambda function. */
  family?: string
  summary: string
  /** Kind of token that the operation requires; by default, an account API token. `none` permits requests without a credential (I2). */
  credential?: Credential | 'ingest' | 'none'
  /** Rate limit bucket of the source address for requests without a credential (A9); `look` by default. */
  step?: PublicStep
  permission?: Permission
  /** Returns the permissions that a query requires, if they depend on it (K11.G2). Checked like `permission`, in the order returned. */
  permissionsOf?: (query: URLSearchParams) => Permission[]
  /** `GET` operation for the object to change or delete. `If-Match` is compared with the ETag of that object (A8.2). */
  etagFrom?: Operation
  /** Error codes (A5) that do not follow from the other fields of the contract. */
  refusals?: readonly ErrorCode[]
  body?: {
    /** The only key of the body (A2.4); null if the body contains the fields directly (P6). */
    envelope: string | null
    /** JSON type of the envelope's value; `object` by default. Any other type results in 400. */
    shape?: 'object' | 'list'
    /** True if the handler checks the envelope itself, after checking that the object exists (A14.3). */
    checkedByHandler?: boolean
    optional?: boolean
    fields?: Fields
    /** JSON Schema for a value that the handler checks without `fields`. Used in the OpenAPI document. */
    value?: JsonSchema
    encodings?: readonly string[]
  }
  /** Body schema of a 422 that has no messages by field (L8). */
  rejection?: Schema
  /** Path parameters whose form differs from A6.1. */
  identifiers?: Record<string, JsonSchema>
  /** Filters of a paged list (A7.3). */
  filters?: Record<string, Filter>
  /** Query parameters that the handler itself parses. */
  parameters?: Record<string, JsonSchema>
  /** Schema of the response body. Fields that the schema does not contain are removed. */
  response: Schema
  /**
   * Status of a successful response: by default, 201 for `POST` and 200 otherwise. A 303 response redirects the browser to `location` and
   * has no body.
   */
  status?: 200 | 201 | 202 | 204 | 303
  /** True if the handler may return an existing result with `repeated: true`, which changes the status to 200. */
  repeatable?: boolean
  /** True if a change may continue after the response. A response with pending entries has the status 202. */
  canContinue?: boolean
  /** True if the response has a `Location` header with the path of the created object (A2.7). */
  location?: boolean
  /** True if the response contains a secret and therefore needs `Cache-Control: no-store` (A2.11). */
  secret?: boolean
  /**
   * True if the response contains the log entry of the request itself. The log entry is then stored before the response is built (L2.6).
   */
  waitForRequestLog?: boolean
}

type FieldsOf<C extends Contract> = C extends { body: { fields: infer F extends Fields } } ? F : never

/** Names of the parameters in a path, such as `id` in `/groups/{id}`. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never
type Params<R extends Route> = Record<`GET /${string}` extends R ? string : PathParams<R>, string>

/** Body value before validation: an object, or a list if `shape` is `list`. Unknown if the handler checks the envelope. */
type RawOf<C extends Contract> = C extends { body: infer B }
  ? B extends { checkedByHandler: true }
    ? unknown
    :
        | (B extends { shape: 'list' } ? unknown[] : Record<string, unknown>)
        | (B extends { optional: true } ? undefined : never)
  : undefined

type CredentialOf<C extends Contract> = C extends { credential: infer K } ? K : 'api'

/** Page of a list; undefined if a request under `/v0` requests no page (`/v0` contract, 6.2). */
type PageOf<R extends Route, C extends Contract> = C extends { filters: object }
  ? R extends `GET /v0/${string}`
    ? Page | undefined
    : Page
  : Page | undefined

/** Context of a handler that does not depend on the credential. */
type Request<R extends Route, C extends Contract> = {
  requestId: string
  origin: Origin
  /** Address of the service, without a trailing slash. */
  address: string
  params: Params<R>
  query: URLSearchParams
  page: PageOf<R, C>
  /** Envelope value before validation; undefined if an optional envelope is missing. */
  raw: RawOf<C>
  /**
   * Checks the envelope, for an operation that sets `checkedByHandler`.
   * @throws ApiError 400
   */
  envelope(): void
  /** Returns the parsed fields with the validation messages so far, for rules that also depend on stored rows. */
  draft(): Draft<v.InferOutput<FieldsOf<C>>>
  /**
   * Returns the validated fields.
   * @throws ApiError `validation_failed` (422)
   */
  input(): v.InferOutput<FieldsOf<C>>
  body: Buffer
  headers: Record<string, string | undefined>
}

type CallerContext<K> = {
  caller: CallerOf<Extract<K, Credential>>
  accountId: string
  subject: Subject
  /** Author of changes, with the preconditions of the request (A8). */
  author: Author
}

/** Context of a request with any credential. Members that the credential does not provide are missing. */
type AnyContext = Omit<Request<Route, Contract>, 'raw' | 'draft' | 'input'> &
  Partial<CallerContext<Credential> & { claims: IngestClaims }> & { raw: unknown; draft(): unknown; input(): unknown }

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
  /** Second method of the operation. `PUT` is equivalent to `PATCH` (A2.8). */
  alias?: 'PUT'
  status: NonNullable<Contract['status']>
  feature?: FeatureName
  // Declares `handle` as a method, so that its parameter is bivariant and every `Operation<R, C>` is assignable to `Operation`.
  handle(context: Context<R, C>): Promise<v.InferInput<C['response']>>
}

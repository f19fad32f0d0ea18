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

/** Method and path of an operation, as the key of its route has them. */
export type Route = `${Method} /${string}`

/** Contract of an operation with its callers; source of permission, OpenAPI document, local server and laws. */
export type Contract = {
  /** Common name of the collections of a family, whose operations of one method and path share a function. */
  family?: string
  summary: string
  /** Kind of token; one of the account API by default. `none`: no credential (I2). */
  credential?: Credential | 'ingest' | 'none'
  /** Bucket of the source address for requests without a credential (A9); `look` by default. */
  step?: PublicStep
  permission?: Permission
  /** `GET` of the object that this operation changes or deletes, whose tag `If-Match` is compared with (A8.2). */
  etagFrom?: Operation
  /** Refusals (A5) besides those that follow from the other fields. */
  refusals?: readonly ErrorCode[]
  body?: {
    /** The one key of the body (A2.4); null where the fields stand in the body without one (P6). */
    envelope: string | null
    /** JSON type of the envelope's value; anything else is 400. */
    shape?: 'object' | 'list'
    /** The operation checks the envelope after the existence and refusals of its object (A14.3). */
    checkedByHandler?: boolean
    /** The body, or its envelope, can be left out. */
    optional?: boolean
    fields?: Fields
    /** Documentation of a value that the operation checks without `fields`. */
    value?: JsonSchema
    /** Accepted content encodings. */
    encodings?: readonly string[]
  }
  /** The body of a 422 that has no messages by field (L8). */
  rejection?: Schema
  /** Identifiers of the path that have another form than A6.1 gives them. */
  identifiers?: Record<string, JsonSchema>
  /** Filters of a paged list (A7.3). */
  filters?: Record<string, Filter>
  /** Query parameters that the operation itself reads. */
  parameters?: Record<string, JsonSchema>
  /** Schema of the whole response body; other fields are dropped. */
  response: Schema
  /** 201 by default for `POST`, else 200. 303 redirects the caller's browser to the `location` of the response, without a body. */
  status?: 200 | 201 | 202 | 204 | 303
  /** A handler that says `repeated: true` found what was asked for: the answer is 200. */
  repeatable?: boolean
  /** A `progressing` response that tells of something left goes on after the answer, which is 202. */
  canContinue?: boolean
  /** The answer names the path of the created object (A2.7). */
  location?: boolean
  /** The response carries a secret: `Cache-Control: no-store` (A2.11). */
  secret?: boolean
  /** The operation lists its own request log entry, so it runs after that is stored (L2.6). */
  waitForRequestLog?: boolean
}

type FieldsOf<C extends Contract> = C extends { body: { fields: infer F extends Fields } } ? F : never

/** The names in braces of a path. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never
type Params<R extends Route> = Record<`GET /${string}` extends R ? string : PathParams<R>, string>

/** A JSON object or list, as the contract says; an envelope that the handler checks can still be anything. */
type RawOf<C extends Contract> = C extends { body: infer B }
  ? B extends { checkedByHandler: true }
    ? unknown
    :
        | (B extends { shape: 'list' } ? unknown[] : Record<string, unknown>)
        | (B extends { optional: true } ? undefined : never)
  : undefined

type CredentialOf<C extends Contract> = C extends { credential: infer K } ? K : 'api'

/** A list under `/v0` is paged only when it is asked for a page (`/v0` contract, 6.2). */
type PageOf<R extends Route, C extends Contract> = C extends { filters: object }
  ? R extends `GET /v0/${string}`
    ? Page | undefined
    : Page
  : Page | undefined

/** Context of a handler with any credential. */
type Request<R extends Route, C extends Contract> = {
  requestId: string
  origin: Origin
  /** Address of the service, without a slash at its end. */
  address: string
  params: Params<R>
  query: URLSearchParams
  /** Paging and filters of a list, checked. */
  page: PageOf<R, C>
  /** The envelope's value as sent; undefined when an optional one was left out. */
  raw: RawOf<C>
  /** Checks an envelope that is `checkedByHandler`. @throws ApiError 400 */
  envelope(): void
  /** The fields with their messages so far; for rules that need stored rows before all messages are known. */
  draft(): Draft<v.InferOutput<FieldsOf<C>>>
  /** The valid fields. @throws ApiError `validation_failed` (422) */
  input(): v.InferOutput<FieldsOf<C>>
  body: Buffer
  headers: Record<string, string | undefined>
}

/** Additional context of a request with a token of this kind. */
type Called<K> = {
  caller: CallerOf<Extract<K, Credential>>
  accountId: string
  subject: Subject
  /** The author of a change, as every store takes it, with the preconditions of the request (A8). */
  author: Author
}

/** Context of any request; parts that the credential did not bring are missing. */
type AnyContext = Omit<Request<Route, Contract>, 'raw' | 'draft' | 'input'> &
  Partial<Called<Credential> & { claims: IngestClaims }> & { raw: unknown; draft(): unknown; input(): unknown }

/** Context by credential: claims of an ingest token, or a caller. */
type Brought<K> = K extends 'ingest' ? { claims: IngestClaims } : K extends 'none' ? unknown : Called<K>

export type Context<R extends Route = Route, C extends Contract = Contract> = Contract extends C
  ? AnyContext
  : Request<R, C> & Brought<CredentialOf<C>>

export type Operation<R extends Route = Route, C extends Contract = Contract> = C & {
  method: Method
  path: `/${string}`
  /** A method that means the same: an object is changed by `PATCH` and `PUT` alike (A2.8). */
  alias?: 'PUT'
  status: NonNullable<Contract['status']>
  /** A feature that the account needs (A28). */
  feature?: FeatureName
  // A method, so that an operation of any contract is one of the list.
  handle(context: Context<R, C>): Promise<v.InferInput<C['response']>>
}

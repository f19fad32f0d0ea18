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

/** The promise of an operation to its callers. Each one feeds route, permission, OpenAPI document, local server and laws. */
export type Contract = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A method that means the same (A2.8). */
  alias?: 'PUT' | 'PATCH'
  path: `/${string}`
  summary: string
  /** The kind of token it takes; one of the account API by default. `none`: anybody may ask (I2). */
  credential?: Credential | 'ingest' | 'none'
  /** Which bucket of the caller's address a request without a credential takes from (A9); `look` unless it says so. */
  step?: PublicStep
  permission?: Permission
  /** A feature that the account needs (A28). */
  feature?: FeatureName
  /** The `GET` of the object that this operation changes or deletes: what `If-Match` is compared with (A8.2). */
  etagFrom?: Operation
  /** Reasons of its own to refuse (A5), besides those that its other fields bring. */
  refusals?: readonly ErrorCode[]
  body?: {
    /** The one key of the body (A2.4); null where the fields stand in the body without one (P6). */
    envelope: string | null
    /** JSON type of the envelope's value; anything else is 400. */
    shape?: 'object' | 'list'
    /** The envelope is checked by the operation itself, behind the existence and refusals of its object (A14.3). */
    checkedByHandler?: boolean
    /** The body, or its envelope, can be left out. */
    optional?: boolean
    fields?: Fields
    /** The envelope's value as documented, where the operation checks it without `fields`. */
    value?: JsonSchema
    /** Content encodings that it can come in, besides none. */
    encodings?: readonly string[]
  }
  /** The body of a 422 that has no messages by field (L8). */
  rejection?: Schema
  /** Identifiers of the path that have another form than A6.1 gives them. */
  identifiers?: Record<string, JsonSchema>
  /** The known filters of a list (A7.3); their presence makes it a paged list. */
  filters?: Record<string, Filter>
  /** Query parameters that the operation reads by itself. */
  parameters?: Record<string, JsonSchema>
  /** Schema of the whole response body: what it does not name cannot leave. */
  response: Schema
  /** 303 leads the caller's browser to the `location` of the response, and has no body. */
  status?: 200 | 201 | 202 | 204 | 303
  /** A handler that says `repeated: true` found what was asked for: the answer is 200. */
  repeatable?: boolean
  /** A `progressing` response that tells of something left goes on after the answer, which is 202. */
  canContinue?: boolean
  /** Path of what was created (A2.7). */
  location?: (response: { data: { id: string } }, params: Record<string, string>) => string
  /** The response carries a secret: `Cache-Control: no-store` (A2.11). */
  secret?: boolean
  /** The operation lists its own request log entry, so it runs after that is stored (L2.6). */
  waitForRequestLog?: boolean
}

type FieldsOf<C extends Contract> = C extends { body: { fields: infer F extends Fields } } ? F : never

/** The names in braces of a path. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never
type Params<C extends Contract> = `/${string}` extends C['path']
  ? Record<string, string>
  : Record<PathParams<C['path']>, string>

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
type PageOf<C extends Contract> = C extends { filters: object }
  ? C['path'] extends `/v0/${string}`
    ? Page | undefined
    : Page
  : Page | undefined

/** The part of a handler's context that every credential brings. */
type Request<C extends Contract> = {
  requestId: string
  origin: Origin
  /** Where callers reach the service, without a slash at its end. */
  address: string
  params: Params<C>
  /** Query parameters as sent. */
  query: URLSearchParams
  /** Paging and filters of a list, checked. */
  page: PageOf<C>
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

/** The part that the holder of a token of this kind brings. */
type Called<K> = {
  caller: CallerOf<Extract<K, Credential>>
  accountId: string
  subject: Subject
  /** The author of a change, as every store takes it, with the preconditions of the request (A8). */
  author: Author
}

/** The context of any request, as the pipeline makes it; parts that the credential did not bring are missing. */
type AnyContext = Omit<Request<Contract>, 'raw' | 'draft' | 'input'> &
  Partial<Called<Credential> & { claims: IngestClaims }> & { raw: unknown; draft(): unknown; input(): unknown }

/** What a credential brings: the token of flow ingest its claims, every other one a caller. */
type Brought<K> = K extends 'ingest' ? { claims: IngestClaims } : K extends 'none' ? unknown : Called<K>

/** The argument of a handler. */
export type Context<C extends Contract = Contract> = Contract extends C
  ? AnyContext
  : Request<C> & Brought<CredentialOf<C>>

export type Operation<C extends Contract = Contract> = C & {
  // A method, so that an operation of any contract is one of the list.
  handle(context: Context<C>): Promise<v.InferInput<C['response']>>
}

/** Ties a handler to its contract. */
export const operation = <const C extends Contract>(
  contract: C,
  handle: (context: Context<C>) => Promise<v.InferInput<C['response']>>,
): Operation<C> => ({ ...contract, handle })

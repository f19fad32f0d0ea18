import { MessageLimit } from './message-limit.ts'

/** Every code of A5 with its status; a generic code has the problem type `about:blank`. */
export const errorCodes = {
  bad_request: { status: 400, generic: true },
  invalid_json: { status: 400 },
  invalid_limit: { status: 400 },
  invalid_page_cursor: { status: 400 },
  invalid_filter: { status: 400 },
  invalid_path_parameter: { status: 400 },
  invalid_log_query: { status: 400 },
  invalid_idempotency_key: { status: 400 },
  not_a_device_pool: { status: 400 },
  not_a_service_account: { status: 400 },
  not_an_api_client: { status: 400 },
  unauthorized: { status: 401, generic: true },
  forbidden: { status: 403, generic: true },
  insufficient_scope: { status: 403 },
  scope_exceeded: { status: 403 },
  limit_reached: { status: 403 },
  own_actor: { status: 403 },
  last_admin: { status: 403 },
  managed_group: { status: 403 },
  synced_group: { status: 403 },
  system_site: { status: 403 },
  internet_resource: { status: 403 },
  feature_not_enabled: { status: 403 },
  conditions_violated: { status: 403 },
  limits_exceeded: { status: 403 },
  not_found: { status: 404, generic: true },
  method_not_allowed: { status: 405, generic: true },
  not_acceptable: { status: 406, generic: true },
  active_token_exists: { status: 409 },
  idempotency_in_progress: { status: 409 },
  rotation_conflict: { status: 409 },
  address_space_exhausted: { status: 409 },
  gateway_offline: { status: 409 },
  version_mismatch: { status: 409 },
  gateway_already_connected: { status: 409 },
  no_session: { status: 409 },
  not_sealed_yet: { status: 409 },
  sync_running: { status: 409 },
  sync_disabled: { status: 409 },
  run_not_rewindable: { status: 409 },
  precondition_failed: { status: 412, generic: true },
  payload_too_large: { status: 413, generic: true },
  too_many_records: { status: 413 },
  validation_failed: { status: 422, generic: true },
  idempotency_key_reused: { status: 422 },
  rate_limited: { status: 429, generic: true },
  internal_error: { status: 500, generic: true },
  unavailable: { status: 503, generic: true },
} as const satisfies Record<string, { status: number; generic?: boolean }>

export type ErrorCode = keyof typeof errorCodes

/** Field name (dotted path for nested fields, `base` for cross-field rules) → messages, A5. */
export type FieldErrors = Record<string, string[]>

/** Details that never vary (A5). */
export const fixedDetails: Partial<Record<ErrorCode, string>> = {
  invalid_limit: 'limit must be an integer.',
  invalid_page_cursor: 'page_cursor is not valid for this list.',
  not_sealed_yet: 'No checkpoint covers this entry yet. Retry later.',
  invalid_idempotency_key: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running. Retry later.',
  idempotency_key_reused: 'This Idempotency-Key was used for another request.',
  invalid_json: 'The request body is not valid JSON.',
  unauthorized: 'Credentials are missing or invalid.',
  not_found: 'The requested resource was not found.',
  method_not_allowed: 'This method is not known for the path.',
  not_acceptable: 'The response is available as application/json only.',
  payload_too_large: 'The request body is too large.',
  precondition_failed: 'A precondition of the request does not hold.',
  validation_failed: 'The request body failed validation.',
  rate_limited: 'Too many requests. Retry later.',
  internal_error: 'An unexpected error occurred.',
  unavailable: 'The service could not complete the request. Nothing was changed; retry later.',
}

/** What `unavailable` says instead where it is not so that nothing was changed. */
export const unavailableAfter = {
  something:
    'The change was made, but not everything that follows from it was completed; the service goes on with it. Read the object before repeating the request.',
  unknown:
    'The service could not complete the request, and does not know whether the change was made. Read the object before repeating the request.',
}

type Extra = {
  /** Additional members of the problem document, for example `required_scope`. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  errors?: FieldErrors
  /** What it came from, for the log alone. */
  cause?: unknown
}

/** What a caller hears (A5). Anything else that is thrown is a bug and answers 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly detail: string
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, detail?: string, extra: Extra = {}) {
    super(code, extra)
    this.code = code
    this.status = errorCodes[code].status
    this.detail = detail ?? fixedDetails[code] ?? code
    this.members = { ...extra.members, ...(extra.errors ? { errors: extra.errors } : {}) }
    this.headers = { ...(this.status === 503 ? { 'retry-after': '1' } : {}), ...extra.headers }
  }
}

export const notFound = () => new ApiError('not_found')

export const unauthorized = () => new ApiError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } })

export const featureNotEnabled = (feature: string) =>
  new ApiError('feature_not_enabled', `The feature ${feature} is not enabled for this account.`, {
    members: { feature },
  })

/** 422 with the first messages of the fields, as many as one answer tells. */
export const invalid = (errors: FieldErrors) =>
  new ApiError('validation_failed', undefined, { errors: new MessageLimit().take(errors) })

import { type Fault, faultsAt, MessageLimit, type Path } from './faults.ts'

type CodeRule = {
  status: number
  /** True when the problem type is `about:blank`. */
  generic?: boolean
  /** Default text of errors with this code. */
  detail?: string
}

/** All error codes (A5), with HTTP statuses and default texts. */
const codes = {
  bad_request: { status: 400, generic: true },
  invalid_json: { status: 400, detail: 'The request body is not valid JSON.' },
  invalid_limit: { status: 400, detail: 'limit must be an integer.' },
  invalid_page_cursor: { status: 400, detail: 'page_cursor is not valid for this list.' },
  invalid_filter: { status: 400 },
  invalid_path_parameter: { status: 400 },
  invalid_log_query: { status: 400 },
  invalid_idempotency_key: { status: 400, detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' },
  not_a_device_pool: { status: 400 },
  not_a_service_account: { status: 400 },
  not_an_api_client: { status: 400 },
  unauthorized: { status: 401, generic: true, detail: 'Credentials are missing or invalid.' },
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
  not_found: { status: 404, generic: true, detail: 'The requested resource was not found.' },
  method_not_allowed: { status: 405, generic: true, detail: 'This path does not support this method.' },
  not_acceptable: { status: 406, generic: true, detail: 'The response is only available as application/json.' },
  active_token_exists: { status: 409 },
  idempotency_in_progress: {
    status: 409,
    detail: 'The first request with this Idempotency-Key is still running. Retry later.',
  },
  rotation_conflict: { status: 409 },
  address_space_exhausted: { status: 409 },
  gateway_offline: { status: 409 },
  version_mismatch: { status: 409 },
  gateway_already_connected: { status: 409 },
  no_session: { status: 409 },
  not_sealed_yet: { status: 409, detail: 'No checkpoint covers this entry yet. Retry later.' },
  sync_running: { status: 409 },
  sync_disabled: { status: 409 },
  run_not_rewindable: { status: 409 },
  precondition_failed: { status: 412, generic: true, detail: 'A precondition of the request is not met.' },
  payload_too_large: { status: 413, generic: true, detail: 'The request body is too large.' },
  too_many_records: { status: 413 },
  validation_failed: { status: 422, generic: true, detail: 'The request body failed validation.' },
  idempotency_key_reused: { status: 422, detail: 'This Idempotency-Key was used for another request.' },
  rate_limited: { status: 429, generic: true, detail: 'Too many requests. Retry later.' },
  internal_error: { status: 500, generic: true, detail: 'An unexpected error occurred.' },
  unavailable: {
    status: 503,
    generic: true,
    detail: 'The service could not complete the request. Nothing was changed; retry later.',
  },
} satisfies Record<string, CodeRule>

export type ErrorCode = keyof typeof codes
export const errorCodes: Readonly<Record<ErrorCode, CodeRule>> = codes

/** Details of an `unavailable` error after work that has changed something, or may have changed something. */
export const unavailableAfter = {
  something:
    'The change was made, but its follow-up work is not complete yet. The service continues it. Read the object before you repeat the request.',
  unknown:
    'The service could not complete the request and does not know whether the change was made. Read the object before you repeat the request.',
}

type Extra = {
  members?: Record<string, unknown>
  headers?: Record<string, string>
  faults?: readonly Fault[]
  /** Original error, which is logged but not returned. */
  cause?: unknown
}

/** Error that is returned to the caller (A5). Any other error is a bug and results in status 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly detail: string
  /** Additional members of the problem document, such as `required_scope` and `errors`. */
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, detail?: string, { members, headers, faults, cause }: Extra = {}) {
    super(code, { cause })
    this.code = code
    this.status = errorCodes[code].status
    this.detail = detail ?? errorCodes[code].detail ?? code
    this.members = { ...members, ...(faults && { errors: new MessageLimit().take(faults) }) }
    this.headers = { ...(this.status === 503 && { 'retry-after': '1' }), ...headers }
  }
}

export const notFound = () => new ApiError('not_found')

export const unauthorized = () => new ApiError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } })

export const featureNotEnabled = (feature: string) =>
  new ApiError('feature_not_enabled', `The feature ${feature} is not enabled for this account.`, {
    members: { feature },
  })

export const invalid = (faults: readonly Fault[]) => new ApiError('validation_failed', undefined, { faults })

export const invalidAt = (path: Path, ...messages: string[]) => invalid(faultsAt(path, messages))

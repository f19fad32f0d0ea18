import { ApiError } from '../core/errors.ts'
import { toJson } from '../core/json/json.ts'
import { maxListBytes } from '../v0/list-rows.ts'
import type { Answer } from './exchange.ts'
import type { Operation } from './operation.ts'
import { apiErrorOf } from './problem.ts'
import { v0Headers } from './v0-headers.ts'

const names: Record<number, string> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'service_unavailable',
}

/**
 * Builds the body of an error response: the reason for a rejected token, the validation messages, or the error's name (`/v0` contract, 4).
 */
function errorBody({ status, members }: ApiError): unknown {
  if (status === 401) return { errors: { auth: members.auth ?? 'invalid_token' } }
  if (status === 422) return members
  return { error: names[status], ...(status === 413 && members) }
}

/** Builds the error response for a request under `/v0` (`/v0` contract, 4). */
export function v0Problem(error: unknown, requestId: string, headers: Record<string, string>, path: string): Answer {
  const apiError = apiErrorOf(error, requestId)
  return {
    statusCode: apiError.status,
    headers: { ...v0Headers(path), ...headers, ...apiError.headers, 'x-request-id': requestId },
    body: toJson(errorBody(apiError)),
  }
}

/** Maximum bytes of a response body, measured as the escaped JSON string in which Lambda returns the body. */
const maxResponseBytes = 6_200_000

/**
 * Checks the size of a list without pages (`/v0` contract, 6.4).
 * @throws ApiError `payload_too_large` if the list does not fit in one response
 */
export function limitV0List({ filters }: Operation, body: unknown, text: string): void {
  const isUnpaged = filters !== undefined && !(body as { metadata?: unknown }).metadata
  if (!isUnpaged) return
  if (Buffer.byteLength(text) <= maxListBytes && Buffer.byteLength(JSON.stringify(text)) <= maxResponseBytes) return
  throw new ApiError('payload_too_large', undefined, {
    members: {
      detail:
        'The list is too large for one response. Read it in pages with the query parameters limit and page_cursor.',
    },
  })
}

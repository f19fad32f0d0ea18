import type { ApiError } from '../core/errors.ts'
import { toJson } from '../core/json/json.ts'
import type { Answer } from './exchange.ts'
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

/** The body of an error: its name, and where it helps, why a token was refused, what is invalid, how to read a long list. */
function bodyOf({ status, members }: ApiError): unknown {
  if (status === 401) return { errors: { auth: members.auth ?? 'invalid_token' } }
  if (status === 422) return members
  return { error: names[status], ...(status === 413 && members) }
}

/** The answer of an error under `/v0` (section 4). */
export function v0Problem(error: unknown, requestId: string, headers: Record<string, string>, path: string): Answer {
  const known = apiErrorOf(error, requestId)
  return {
    statusCode: known.status,
    headers: { ...v0Headers(path), ...headers, ...known.headers, 'x-request-id': requestId },
    body: toJson(bodyOf(known)),
  }
}

import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { isPassing } from '../core/aws/passing-error.ts'
import { ApiError, errorCodes, fixedDetails, unavailableAfter } from '../core/errors.ts'
import { toJson } from '../core/json/json.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { logLine } from '../core/logging/log.ts'
import { changedSoFar } from '../core/work/work.ts'

/** Node's own list would load its whole HTTP client and server into every function. */
const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/**
 * Anything but an ApiError is a bug: logged with all that is known of it, answered as 500; an engine that throttles or does
 * not answer for as long as it was asked is 503.
 */
export function apiErrorOf(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) return truthful(error)
  logLine('ERROR', 'unexpected_error', { request_id: requestId, ...describeError(error) })
  return truthful(new ApiError(isPassing(error) ? 'unavailable' : 'internal_error'))
}

/** Says that nothing was changed only where that is so. */
function truthful(error: ApiError): ApiError {
  const changed = changedSoFar()
  if (changed === 'nothing' || error.code !== 'unavailable' || error.detail !== fixedDetails.unavailable) return error
  return new ApiError('unavailable', unavailableAfter[changed], { members: error.members, headers: error.headers })
}

/** The RFC 9457 problem of an error (A5). */
export function problem(
  error: unknown,
  requestId: string,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 {
  const known = apiErrorOf(error, requestId)
  const body = {
    type: 'generic' in errorCodes[known.code] ? 'about:blank' : `/problems/${known.code}`,
    title: titles[known.status],
    status: known.status,
    detail: known.detail,
    code: known.code,
    request_id: requestId,
    ...known.members,
  }
  return {
    statusCode: known.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'private, no-cache',
      ...headers,
      ...known.headers,
      'x-request-id': requestId,
    },
    body: toJson(body),
  }
}

import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { ApiError, errorCodes } from '../core/errors.ts'
import { toJson } from '../core/json/json.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { logLine } from '../core/logging/log.ts'
import { isTransient } from '../core/transient-error.ts'
import { correctDetail } from '../core/work/work.ts'

/** Reason phrases by status. Importing the list from `node:http` would load the HTTP client and server into every function. */
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

/** Converts any error to an ApiError. Logs an unexpected error and converts it to 503 if it is transient, otherwise to 500. */
export function apiErrorOf(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) {
    if (error.code === 'unavailable')
      logLine('WARN', 'request_given_up', { request_id: requestId, ...describeError(error) })
    return correctDetail(error)
  }
  logLine('ERROR', 'unexpected_error', { request_id: requestId, ...describeError(error) })
  return correctDetail(new ApiError(isTransient(error) ? 'unavailable' : 'internal_error'))
}

/** Renders an error as an RFC 9457 problem (A5). */
export function problem(
  error: unknown,
  requestId: string,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 {
  const apiError = apiErrorOf(error, requestId)
  const body = {
    type: 'generic' in errorCodes[apiError.code] ? 'about:blank' : `/problems/${apiError.code}`,
    title: titles[apiError.status],
    status: apiError.status,
    detail: apiError.detail,
    code: apiError.code,
    request_id: requestId,
    ...apiError.members,
  }
  return {
    statusCode: apiError.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'private, no-cache',
      ...headers,
      ...apiError.headers,
      'x-request-id': requestId,
    },
    body: toJson(body),
  }
}

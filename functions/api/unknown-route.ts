import { env } from '#shared/core/env.ts'
import { ApiError, notFound } from '#shared/core/errors.ts'
import { runInvocation } from '#shared/core/logging/invocation.ts'
import type { Answer, Event } from '#shared/http/exchange.ts'
import { requestIdOf } from '#shared/http/exchange.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { requestOrigin } from '#shared/http/origin.ts'
import { problem } from '#shared/http/problem.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { v0Problem } from '#shared/http/v0-problem.ts'

/** JSON with the methods of each path pattern. The bundler generates it from the operations and inserts it here. */
declare const ROUTE_TABLE: string

const unknownPath = 'This path does not exist. Paths have no trailing slash.'

const matches = (pattern: string, path: string): boolean => {
  const patternParts = pattern.split('/')
  const pathParts = path.split('/')
  return (
    patternParts.length === pathParts.length &&
    patternParts.every((part, i) => part === pathParts[i] || (part.startsWith('{') && pathParts[i] !== ''))
  )
}

const isBrowserAtRoot = ({ rawPath, headers, requestContext: { http } }: Event): boolean =>
  http.method === 'GET' && rawPath === '/' && /(^|,)\s*text\/html\s*(;|,|$)/i.test(headers.accept ?? '')

/** Redirects a browser from the root to the console (K2.6), or to the API reference in a deployment without a console. */
const fromRoot = (requestId: string): Answer => ({
  statusCode: 303,
  headers: {
    location: env.console ? '/console' : '/docs',
    'cache-control': 'no-store',
    vary: 'Accept',
    'x-request-id': requestId,
  },
})

/** Responds to requests that match no route: 405 with `Allow` for an existing path, 404 for other paths and under `/v0` (A4, step 1). */
export const handler: Handler = (event, context) => {
  const requestId = requestIdOf(event.headers['x-request-id'])
  const fields = { operation: event.routeKey, request_id: requestId, function_request_id: context?.awsRequestId }
  return runInvocation(fields, () => respond(event, requestId))
}

async function respond(event: Event, requestId: string): Promise<Answer> {
  try {
    await requestOrigin(event)
    if (isBrowserAtRoot(event)) return fromRoot(requestId)
    if (isV0(event.rawPath)) return v0Problem(notFound(), requestId, {}, event.rawPath)
    const routes: Record<string, string[]> = JSON.parse(ROUTE_TABLE)
    const allowedMethods = Object.entries(routes).flatMap(([pattern, methods]) =>
      matches(pattern, event.rawPath) ? methods : [],
    )
    if (allowedMethods.length === 0) throw new ApiError('not_found', unknownPath)
    throw new ApiError('method_not_allowed', undefined, {
      headers: { allow: [...new Set(allowedMethods)].sort().join(', ') },
    })
  } catch (error) {
    return problem(error, requestId)
  }
}

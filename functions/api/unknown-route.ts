import { ApiError, notFound } from '#shared/errors.ts'
import type { Event } from '#shared/http/exchange.ts'
import { originOf } from '#shared/http/origin.ts'
import { problem } from '#shared/http/problem.ts'
import { requestIdOf } from '#shared/http/request-id.ts'

/** Path pattern → methods, put in by the bundler from the operations. */
declare const ROUTE_TABLE: Record<string, string[]>

const matches = (pattern: string, path: string): boolean => {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => part === given[i] || (part.startsWith('{') && given[i] !== ''))
  )
}

/** What no route takes: 405 with `Allow` where the path is known, 404 otherwise (A4, step 1). */
export const handler = async (event: Event) => {
  const requestId = requestIdOf(event.headers['x-request-id'])
  try {
    await originOf(event)
    const allowed = Object.entries(ROUTE_TABLE).flatMap(([pattern, methods]) =>
      matches(pattern, event.rawPath) ? methods : [],
    )
    if (allowed.length === 0) throw notFound()
    throw new ApiError('method_not_allowed', undefined, { headers: { allow: [...new Set(allowed)].sort().join(', ') } })
  } catch (error) {
    return problem(error, requestId)
  }
}

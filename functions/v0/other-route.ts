import { notFound } from '#shared/core/errors.ts'
import type { Answer, Event } from '#shared/http/exchange.ts'
import { requestIdOf } from '#shared/http/exchange.ts'
import type { Endpoint } from '#shared/http/lambda.ts'
import { v0Segments } from '#shared/http/v0-headers.ts'
import { v0Problem } from '#shared/http/v0-problem.ts'
import { handler as getConfiguration } from './configuration/get-v0-configuration.ts'
import { handler as updateConfiguration } from './configuration/update-v0-configuration.ts'
import { handler as createDevice } from './devices/create-v0-device.ts'
import { handler as deleteDevice } from './devices/delete-v0-device.ts'
import { handler as getDevice } from './devices/get-v0-device.ts'
import { handler as listDevices } from './devices/list-v0-devices.ts'
import { handler as updateDevice } from './devices/update-v0-device.ts'
import { handler as createRule } from './rules/create-v0-rule.ts'
import { handler as deleteRule } from './rules/delete-v0-rule.ts'
import { handler as getRule } from './rules/get-v0-rule.ts'
import { handler as listRules } from './rules/list-v0-rules.ts'
import { handler as updateRule } from './rules/update-v0-rule.ts'
import { handler as createUser } from './users/create-v0-user.ts'
import { handler as deleteUser } from './users/delete-v0-user.ts'
import { handler as getUser } from './users/get-v0-user.ts'
import { handler as listUsers } from './users/list-v0-users.ts'
import { handler as updateUser } from './users/update-v0-user.ts'

const handlers: Endpoint[] = [
  getConfiguration,
  updateConfiguration,
  createDevice,
  deleteDevice,
  getDevice,
  listDevices,
  updateDevice,
  createRule,
  deleteRule,
  getRule,
  listRules,
  updateRule,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  updateUser,
]

/**
 * Returns the path parameters of a matching request, or null. API Gateway splits an email at an encoded `/`, so its segments are joined.
 */
function matchParams(path: string, requestSegments: string[]): Record<string, string> | null {
  const pathSegments = v0Segments(path)
  const [collection, ...rest] = requestSegments
  const segments =
    collection === 'users' && rest.join('/').includes('@') ? [collection, rest.join('/')] : requestSegments
  if (segments.length !== pathSegments.length) return null
  const params: Record<string, string> = {}
  for (const [i, part] of pathSegments.entries()) {
    const segment = segments[i] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = segment
    else if (part !== segment) return null
  }
  return params
}

/**
 * Serves requests that match no API Gateway route: HEAD, empty path segments, and slashes within an email (`/v0` contract, 2.3, 2.4). Other
 * requests receive 404.
 */
export const handler = async (event: Event): Promise<Answer> => {
  const method = event.requestContext.http.method
  const routeMethod = method === 'HEAD' ? 'GET' : method
  // Uses the path as decoded by API Gateway (`/v0` contract, 2.4).
  const segments = v0Segments(`/v0/${event.pathParameters?.proxy ?? ''}`)
  for (const handler of handlers) {
    const { operation } = handler
    if (operation.method !== routeMethod && operation.alias !== routeMethod) continue
    const pathParameters = matchParams(operation.path, segments)
    if (!pathParameters) continue
    const response = await handler({ ...event, pathParameters })
    return method === 'HEAD' ? { ...response, body: '' } : response
  }
  return v0Problem(notFound(), requestIdOf(event.headers['x-request-id']), {}, event.rawPath)
}

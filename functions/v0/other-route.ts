import { notFound } from '#shared/core/errors.ts'
import type { Answer, Event } from '#shared/http/exchange.ts'
import type { Handler } from '#shared/http/lambda.ts'
import type { Operation } from '#shared/http/operation.ts'
import { requestIdOf } from '#shared/http/request-id.ts'
import { v0Segments } from '#shared/http/v0-headers.ts'
import { v0Problem } from '#shared/http/v0-problem.ts'
import * as getConfiguration from './configuration/get-v0-configuration.ts'
import * as updateConfiguration from './configuration/update-v0-configuration.ts'
import * as createDevice from './devices/create-v0-device.ts'
import * as deleteDevice from './devices/delete-v0-device.ts'
import * as getDevice from './devices/get-v0-device.ts'
import * as listDevices from './devices/list-v0-devices.ts'
import * as updateDevice from './devices/update-v0-device.ts'
import * as createRule from './rules/create-v0-rule.ts'
import * as deleteRule from './rules/delete-v0-rule.ts'
import * as getRule from './rules/get-v0-rule.ts'
import * as listRules from './rules/list-v0-rules.ts'
import * as updateRule from './rules/update-v0-rule.ts'
import * as createUser from './users/create-v0-user.ts'
import * as deleteUser from './users/delete-v0-user.ts'
import * as getUser from './users/get-v0-user.ts'
import * as listUsers from './users/list-v0-users.ts'
import * as updateUser from './users/update-v0-user.ts'

type Route = { operation: Operation; handler: Handler }

const routes: Route[] = [
  { operation: getConfiguration.getV0Configuration, handler: getConfiguration.handler },
  { operation: updateConfiguration.updateV0Configuration, handler: updateConfiguration.handler },
  { operation: createDevice.createV0Device, handler: createDevice.handler },
  { operation: deleteDevice.deleteV0Device, handler: deleteDevice.handler },
  { operation: getDevice.getV0Device, handler: getDevice.handler },
  { operation: listDevices.listV0Devices, handler: listDevices.handler },
  { operation: updateDevice.updateV0Device, handler: updateDevice.handler },
  { operation: createRule.createV0Rule, handler: createRule.handler },
  { operation: deleteRule.deleteV0Rule, handler: deleteRule.handler },
  { operation: getRule.getV0Rule, handler: getRule.handler },
  { operation: listRules.listV0Rules, handler: listRules.handler },
  { operation: updateRule.updateV0Rule, handler: updateRule.handler },
  { operation: createUser.createV0User, handler: createUser.handler },
  { operation: deleteUser.deleteV0User, handler: deleteUser.handler },
  { operation: getUser.getV0User, handler: getUser.handler },
  { operation: listUsers.listV0Users, handler: listUsers.handler },
  { operation: updateUser.updateV0User, handler: updateUser.handler },
]

/**
 * The path parameters of a request whose segments fit an operation's path. API Gateway makes two segments of a `/` that was encoded
 * once, so the rest behind `users` is one email where it has an `@`.
 */
function paramsOf(path: string, given: string[]): Record<string, string> | null {
  const wanted = v0Segments(path)
  const [collection, ...rest] = given
  const segments = collection === 'users' && rest.join('/').includes('@') ? [collection, rest.join('/')] : given
  if (segments.length !== wanted.length) return null
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const segment = segments[i] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = segment
    else if (part !== segment) return null
  }
  return params
}

/**
 * Requests under `/v0` that no route of an operation takes as they are spelled: HEAD, empty path segments, slashes within
 * an email; all others are 404 (2.3, 2.4).
 */
export const handler = async (event: Event): Promise<Answer> => {
  const method = event.requestContext.http.method
  const asked = method === 'HEAD' ? 'GET' : method
  // API Gateway has decoded it (2.4).
  const segments = v0Segments(`/v0/${event.pathParameters?.proxy ?? ''}`)
  for (const { operation, handler } of routes) {
    if (operation.method !== asked && operation.alias !== asked) continue
    const pathParameters = paramsOf(operation.path, segments)
    if (!pathParameters) continue
    const answer = await handler({ ...event, pathParameters })
    return method === 'HEAD' ? { ...answer, body: '' } : answer
  }
  return v0Problem(notFound(), requestIdOf(event.headers['x-request-id']), {}, event.rawPath)
}

import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { Found } from './stack.ts'

export type ApiRoute = { key: string; functionArn: string }

/** The function that an ARN invokes, its own or that of an alias. */
export type Invoked = (arn: string) => string | undefined

const anyMethod = 'x-amazon-apigateway-any-method'
const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', anyMethod])
const known = new Set(['operationId', 'parameters', 'responses', 'isDefaultRoute', 'x-amazon-apigateway-integration'])

/** The ARN in an integration URI; undefined where it invokes no function. */
export const integratedArn = (uri: unknown): string | undefined =>
  /^arn:[^:]+:apigateway:[^:]+:lambda:path\/2015-03-31\/functions\/(arn:.+)\/invocations$/.exec(String(uri))?.[1]

/** What a role lets API Gateway do, as `action resource`: of its own policies alone. */
export function invocationsOf({ stack, properties }: Found): Set<string> {
  const trust = JSON.stringify(stack.resolve(properties.AssumeRolePolicyDocument))
  if (!trust.includes('apigateway.')) return new Set()
  const documents = [stack.resolve(properties.Policies ?? [])].flat().map((policy) => fieldsOf(policy).PolicyDocument)
  const statements = documents.flatMap((document) => [fieldsOf(document).Statement].flat()).map(fieldsOf)
  return new Set(
    statements
      .filter(({ Effect, Action }) => Effect === 'Allow' && [Action].flat().includes('lambda:InvokeFunction'))
      .flatMap(({ Resource }) => [Resource].flat().map(String)),
  )
}

function keyOf(path: string, method: string, operation: Record<string, unknown>): string {
  if (!methods.has(method)) throw new Error(`The local runner does not know the ${method} of the path ${path}.`)
  const unknown = Object.keys(operation).find((name) => !known.has(name))
  if (unknown) throw new Error(`The local runner does not support the ${unknown} of ${method} ${path}.`)
  if (!path.startsWith('/')) throw new Error(`API Gateway warns of the path ${path}, which begins with no slash.`)
  if (operation.isDefaultRoute === true) return '$default'
  return `${method === anyMethod ? 'ANY' : method.toUpperCase()} ${path}`
}

/** The routes that API Gateway makes of an API's definition, and the function that each leads to. */
function routesOf({ stack, id, properties }: Found, invoked: Invoked, roles: Map<string, Set<string>>) {
  const { openapi, paths } = fieldsOf(stack.resolve(properties.Body))
  if (!String(openapi).startsWith('3.0.')) throw new Error(`The API ${id} has no definition in OpenAPI 3.0.`)
  return Object.entries(fieldsOf(paths)).flatMap(([path, operations]) =>
    Object.entries(fieldsOf(operations)).map(([method, value]): ApiRoute => {
      const operation = fieldsOf(value)
      const key = keyOf(path, method, operation)
      const { type, httpMethod, payloadFormatVersion, uri, credentials, ...more } = fieldsOf(
        operation['x-amazon-apigateway-integration'],
      )
      const [setting] = Object.keys(more)
      if (setting) throw new Error(`The local runner does not support the ${setting} of the route ${key}.`)
      if (String(type).toUpperCase() !== 'AWS_PROXY' || httpMethod !== 'POST' || payloadFormatVersion !== '2.0') {
        throw new Error(`The route ${key} is no Lambda proxy with payload format 2.0.`)
      }
      const arn = integratedArn(uri)
      const functionArn = arn && invoked(arn)
      if (!functionArn) throw new Error(`The route ${key} leads to no function.`)
      if (!roles.get(String(credentials))?.has(arn)) {
        throw new Error(`The route ${key} has no role that may invoke its function.`)
      }
      return { key, functionArn }
    }),
  )
}

/** Reads the routes of the HTTP API. */
export function readRoutes(all: Found[], invoked: Invoked): ApiRoute[] {
  const roles = new Map(
    all
      .filter(({ type }) => type === 'AWS::IAM::Role')
      .map((role) => [role.stack.arn(role.id), invocationsOf(role)] as const),
  )
  return all
    .filter(({ type, properties }) => type === 'AWS::ApiGatewayV2::Api' && properties.ProtocolType !== 'WEBSOCKET')
    .flatMap((api) => routesOf(api, invoked, roles))
}

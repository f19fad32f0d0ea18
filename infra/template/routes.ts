import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { Stack, StackResource } from './stack.ts'

export type TemplateRoute = { key: string; functionArn: string }

/** Resolves the ARN of a function or an alias to the function's ARN; undefined for any other ARN. */
export type Resolver = (arn: string) => string | undefined

const anyMethod = 'x-amazon-apigateway-any-method'
const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', anyMethod])
const fields = new Set(['operationId', 'parameters', 'responses', 'isDefaultRoute', 'x-amazon-apigateway-integration'])

/** Parses the function's ARN from an integration URI; undefined if the integration is not a function. */
const integratedArn = (uri: unknown): string | undefined =>
  /^arn:[^:]+:apigateway:[^:]+:lambda:path\/2015-03-31\/functions\/(arn:.+)\/invocations$/.exec(String(uri))?.[1]

/** Lists the functions that a role's inline policies allow API Gateway to invoke. */
function listInvokable({ stack, properties }: StackResource): unknown[] {
  const trust = JSON.stringify(stack.resolve(properties.AssumeRolePolicyDocument))
  if (!trust.includes('apigateway.')) return []
  const documents = [stack.resolve(properties.Policies ?? [])].flat().map((policy) => fieldsOf(policy).PolicyDocument)
  const statements = documents.flatMap((document) => [fieldsOf(document).Statement].flat()).map(fieldsOf)
  return statements
    .filter(({ Effect, Action }) => Effect === 'Allow' && [Action].flat().includes('lambda:InvokeFunction'))
    .flatMap(({ Resource }) => Resource)
}

/**
 * Finds the function of a route.
 * @throws Error if the route invokes no function, or API Gateway has no permission to invoke it
 */
function findFunction(
  key: string,
  uri: unknown,
  credentials: unknown,
  all: StackResource[],
  resolve: Resolver,
): string {
  const arn = integratedArn(uri)
  const functionArn = arn && resolve(arn)
  if (!functionArn) throw new Error(`The route ${key} has no function.`)
  const role = all.find(({ type, stack, id }) => type === 'AWS::IAM::Role' && stack.arn(id) === credentials)
  if (!role || !listInvokable(role).includes(arn))
    throw new Error(`The route ${key} has no role that may invoke its function.`)
  return functionArn
}

function toRouteKey(path: string, method: string, operation: Record<string, unknown>): string {
  if (!methods.has(method)) throw new Error(`The local runner does not support ${method} of the path ${path}.`)
  const unknown = Object.keys(operation).find((name) => !fields.has(name))
  if (unknown) throw new Error(`The local runner does not support the ${unknown} of ${method} ${path}.`)
  if (!path.startsWith('/'))
    throw new Error(`API Gateway warns about the path ${path}, which does not begin with a slash.`)
  if (operation.isDefaultRoute === true) return '$default'
  return `${method === anyMethod ? 'ANY' : method.toUpperCase()} ${path}`
}

function readApiRoutes({ stack, id, properties }: StackResource, all: StackResource[], resolve: Resolver) {
  const { openapi, paths } = fieldsOf(stack.resolve(properties.Body))
  if (!String(openapi).startsWith('3.0.')) throw new Error(`The API ${id} has no definition in OpenAPI 3.0.`)
  return Object.entries(fieldsOf(paths)).flatMap(([path, operations]) =>
    Object.entries(fieldsOf(operations)).map(([method, value]): TemplateRoute => {
      const operation = fieldsOf(value)
      const key = toRouteKey(path, method, operation)
      const { type, httpMethod, payloadFormatVersion, uri, credentials, ...more } = fieldsOf(
        operation['x-amazon-apigateway-integration'],
      )
      const [setting] = Object.keys(more)
      if (setting) throw new Error(`The local runner does not support the ${setting} of the route ${key}.`)
      if (String(type).toUpperCase() !== 'AWS_PROXY' || httpMethod !== 'POST' || payloadFormatVersion !== '2.0') {
        throw new Error(`The route ${key} is not a Lambda proxy with payload format 2.0.`)
      }
      return { key, functionArn: findFunction(key, uri, credentials, all, resolve) }
    }),
  )
}

export const readRoutes = (all: StackResource[], resolve: Resolver): TemplateRoute[] =>
  all
    .filter(({ type, properties }) => type === 'AWS::ApiGatewayV2::Api' && properties.ProtocolType !== 'WEBSOCKET')
    .flatMap((api) => readApiRoutes(api, all, resolve))

export type LiveRoute = '$connect' | '$default' | '$disconnect'

/** Function of each route of the live channel. `returnsResult` is true if the function's result is sent to the device. */
export type LiveRoutes = Record<LiveRoute, { functionArn: string; returnsResult: boolean }>

/** Reads the routes of the WebSocket API; null if the app has none. */
export function readLiveRoutes(all: StackResource[], resolve: Resolver): LiveRoutes | null {
  const api = all.find(
    ({ type, properties }) => type === 'AWS::ApiGatewayV2::Api' && properties.ProtocolType === 'WEBSOCKET',
  )
  if (!api) return null
  const ofApi = (kind: string) =>
    all
      .filter(({ type }) => type === `AWS::ApiGatewayV2::${kind}`)
      .map(({ stack, id, properties }) => ({ id: stack.physicalId(id), settings: stack.resolveEach(properties) }))
      .filter(({ settings }) => settings.ApiId === api.stack.physicalId(api.id))
  const [routes, integrations, responses] = [ofApi('Route'), ofApi('Integration'), ofApi('RouteResponse')]
  const readRoute = (key: LiveRoute) => {
    const route = routes.find(({ settings }) => settings.RouteKey === key)
    const integration = integrations.find(({ id }) => route?.settings.Target === `integrations/${id}`)
    if (!route || !integration) throw new Error(`The live channel has no route ${key}.`)
    const { IntegrationType, IntegrationUri, CredentialsArn } = integration.settings
    if (IntegrationType !== 'AWS_PROXY') throw new Error(`The route ${key} is not a Lambda proxy.`)
    const functionArn = findFunction(key, IntegrationUri, CredentialsArn, all, resolve)
    const isSelected = route.settings.RouteResponseSelectionExpression === '$default'
    return { functionArn, returnsResult: isSelected && responses.some(({ settings }) => settings.RouteId === route.id) }
  }
  return { $connect: readRoute('$connect'), $default: readRoute('$default'), $disconnect: readRoute('$disconnect') }
}

function resolveFunction(stack: Stack, version: unknown): unknown {
  const [id, attribute] = [fieldsOf(version)['Fn::GetAtt'] ?? []].flat()
  const { Type, Properties = {} } = stack.resource(String(id))
  if (Type !== 'AWS::Lambda::Version' || attribute !== 'Version') return undefined
  return stack.resolve(Properties.FunctionName)
}

/**
 * Maps each alias's ARN to its function's ARN. Ignores versions, because a local runner has one bundle.
 * @throws Error for an alias that names a version of another function
 */
export function readAliases(all: StackResource[]): Map<string, string> {
  return new Map(
    all
      .filter(({ type }) => type === 'AWS::Lambda::Alias')
      .map(({ stack, id, properties }) => {
        const arn = stack.physicalId(id)
        if (resolveFunction(stack, properties.FunctionVersion) !== stack.resolve(properties.FunctionName)) {
          throw new Error(`The alias ${id} names no version of its function.`)
        }
        return [arn, arn.slice(0, arn.lastIndexOf(':'))]
      }),
  )
}

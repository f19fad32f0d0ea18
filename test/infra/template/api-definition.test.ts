import { expect, it } from 'vitest'
import { apiBody } from '#infra/api/api-body.ts'
import type { Assembly, Template } from '#infra/template/assembly.ts'
import { readRoutes } from '#infra/template/routes.ts'
import { allStacks } from '#infra/template/stack.ts'

const roleFor = (resource: unknown, service = 'apigateway.amazonaws.com') => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: service } }],
    },
    Policies: [
      { PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: resource }] } },
    ],
  },
})

const one = { 'Fn::GetAtt': ['One', 'Arn'] }
const invoker = { 'Fn::GetAtt': ['Invoker', 'Arn'] }

const uriOf = (functionArn: unknown) => ({
  'Fn::Join': ['', ['arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/', functionArn, '/invocations']],
})

/** Returns the routes that the local runner reads from a definition with one function and a role. */
function routesOf(body: unknown, role = roleFor([one])) {
  const template: Template = {
    Resources: {
      One: { Type: 'AWS::Lambda::Function' },
      Two: { Type: 'AWS::Lambda::Function' },
      Invoker: role,
      Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Body: body } },
    },
  }
  const assembly: Assembly = { stacks: [{ name: 'App', template }], asset: String, template: () => template }
  const [stack] = allStacks(assembly)
  if (!stack) throw new Error('There is no stack.')
  return readRoutes(stack.all(), (arn) =>
    [stack.arn('One'), stack.arn('Two')].find((candidate) => candidate === arn),
  ).map(({ key }) => key)
}

const bodyOf = (...keys: string[]) =>
  apiBody(
    'api',
    keys.map((key) => ({ key, uri: uriOf(one) as never, invokerArn: invoker as never })),
    { ipAddressType: 'dualstack', disableExecuteApiEndpoint: false },
  )

function changed(operation: object, integration: object = {}) {
  const body = bodyOf('GET /things') as { paths: Record<string, Record<string, Record<string, object>>> }
  const found = body.paths['/things']?.get ?? {}
  Object.assign(found, operation)
  Object.assign(found['x-amazon-apigateway-integration'] ?? {}, integration)
  return body
}

it("reads the app's format", () => {
  const keys = ['$default', 'ANY /v0/{proxy+}', 'DELETE /things/{id}', 'GET /things', 'POST /things']
  expect(routesOf(bodyOf(...keys)).sort()).toEqual(keys)
})

it('writes all methods of a path together, with its parameters, in a fixed order', () => {
  expect(bodyOf('PUT /things/{id}', 'GET /things/{id}')).toEqual(bodyOf('GET /things/{id}', 'PUT /things/{id}'))
  expect(JSON.stringify(bodyOf('GET /things/{id}'))).toContain('"parameters":[{"name":"id","in":"path","required":true')
})

it.each([
  ['an authorizer', changed({ security: [{}] }), 'does not support the security'],
  ['another method', { openapi: '3.0.1', paths: { '/things': { trace: {} } } }, 'does not support trace'],
  ['another version', { openapi: '3.1.0', paths: {} }, 'no definition in OpenAPI 3.0'],
  ['a path without a slash', { openapi: '3.0.1', paths: { $default: { get: {} } } }, 'does not begin with a slash'],
  ['no definition', undefined, 'no definition in OpenAPI 3.0'],
  ['a timeout', changed({}, { timeoutInMillis: 50 }), 'does not support the timeoutInMillis'],
  ['another integration', changed({}, { type: 'HTTP_PROXY' }), 'not a Lambda proxy'],
  ['another payload', changed({}, { payloadFormatVersion: '1.0' }), 'not a Lambda proxy'],
  ['no function', changed({}, { uri: uriOf('arn:aws:lambda:::function:none') }), 'has no function'],
  ['the bare ARN of a function', changed({}, { uri: one }), 'has no function'],
  ['a function that its role may not invoke', changed({}, { uri: uriOf({ 'Fn::GetAtt': ['Two', 'Arn'] }) }), 'no role'],
  ['no role', changed({}, { credentials: undefined }), 'no role that may invoke'],
])('throws for %s instead of guessing', (_, body, message) => {
  expect(() => routesOf(body)).toThrow(message)
})

it('refuses a role that API Gateway cannot assume', () => {
  expect(() => routesOf(bodyOf('GET /things'), roleFor([one], 'lambda.amazonaws.com'))).toThrow('no role')
})

it('refuses two operations with one route', () => {
  expect(() => bodyOf('GET /things/{id}', 'PUT /things/{thing_id}')).toThrow(
    'differ only in the names of their parameters',
  )
  expect(() => bodyOf('GET /things/{id}', 'GET /things/{proxy+}')).not.toThrow()
  expect(() => bodyOf('GET /things', 'GET /things')).toThrow('Two operations have the route GET /things.')
})

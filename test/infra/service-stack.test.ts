import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import type { IConstruct } from 'constructs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { buildApp } from '#infra/build-app.ts'
import { consoleRoutes, publicRoutes, signInPages } from '#infra/code/public-routes.ts'
import { readDeployment } from '#infra/template/deployment.ts'
import { templatesOf } from '#test/support/service/templates.ts'

type Resource = { Type: string; Properties: Record<string, unknown> }

const directory = mkdtempSync(join(tmpdir(), 'stack-test-'))
const operations = await loadOperations()
let stacks: Template[]

async function templates(sources: OperationSource[], name: string): Promise<Template[]> {
  const code = join(directory, 'code')
  const app = await buildApp({ outdir: join(directory, name), operations: sources, code })
  app.synth()
  return app.node
    .findAll()
    .filter((node: IConstruct): node is Stack => Stack.isStack(node))
    .map((stack) => Template.fromStack(stack))
}

const all = (type: string): Resource[] =>
  stacks.flatMap((stack) => Object.values(stack.findResources(type)) as Resource[])

beforeAll(async () => {
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(directory, 'code'))
  writeFileSync(join(directory, 'code', 'index.mjs'), 'export const handler = async () => {}\n')
  stacks = await templates(operations, 'now')
}, 180_000)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('functions', () => {
  it('has one for each operation, on arm64 and Node 24', () => {
    const handlers = all('AWS::Lambda::Function').map(({ Properties }) => Properties.Handler)
    for (const { file } of operations)
      expect(handlers.filter((handler) => handler === `${file.slice(0, -3)}.handler`)).toHaveLength(1)
    const own = all('AWS::Lambda::Function').filter(({ Properties }) => String(Properties.Handler).includes('/'))
    for (const { Properties } of own)
      expect(Properties).toMatchObject({ Architectures: ['arm64'], Runtime: 'nodejs24.x' })
  })

  it('has a route for every method of every operation', () => {
    const routes = readDeployment(join(directory, 'now')).routes.map(({ key }) => key)
    const expected = operations.flatMap(({ operation: { method, alias, path } }) =>
      [method, ...(alias ? [alias] : [])].map((name) => `${name} ${path}`),
    )
    expect(routes.toSorted()).toEqual(
      [
        ...expected,
        ...Object.keys(publicRoutes),
        ...Object.keys(consoleRoutes),
        ...Object.keys(signInPages),
        '$default',
        'ANY /v0/{proxy+}',
      ].toSorted(),
    )
  })
})

describe('permissions', () => {
  const statements = () =>
    all('AWS::IAM::Policy').flatMap(
      ({ Properties }) =>
        (
          Properties.PolicyDocument as {
            Statement: { Action: string | string[]; Resource: unknown; Condition?: unknown }[]
          }
        ).Statement,
    )

  it('has no wildcard action', () => {
    for (const { Action } of statements()) for (const action of [Action].flat()) expect(action).not.toMatch(/^\*$|:\*$/)
  })
})

it('has at most 400 resources a stack with 150 operations', async () => {
  const many = Array.from({ length: 150 }, (_, i): OperationSource => {
    const source = operations[i % operations.length] as OperationSource
    const [collection] = source.operation.path.split('/').slice(1)
    const path: `/${string}` = `/${collection}_${Math.floor(i / operations.length)}/copy-${i}`
    return { ...source, file: `api/copies/operation-${i}.ts`, operation: { ...source.operation, path } }
  })
  const sizes = (await templates(many, 'many')).map((stack) => Object.keys(stack.toJSON().Resources ?? {}).length)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(400)
}, 180_000)

it('passes its address to functions outside the API; those of the API take it from each request', async () => {
  const some = operations.filter(({ operation }) => operation.path.startsWith('/groups'))
  const variablesWith = async (context: Record<string, unknown>) => {
    const functions = (await templatesOf(some, context)).all('AWS::Lambda::Function')
    return functions.flatMap(({ Properties: { Handler, Environment } }) =>
      String(Handler).includes('/') ? [[Handler, Environment.Variables.SERVICE_URL] as const] : [],
    )
  }
  for (const [handler, address] of await variablesWith({}))
    expect(address, handler).toEqual(
      /^(api|v0|public|streams)\/|check-concurrency|mail-passcode/.test(handler)
        ? undefined
        : { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] },
    )
  for (const [handler, address] of await variablesWith({ baseUrl: 'https://access.example.com' }))
    expect(address, handler).toBe('https://access.example.com')
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'

let operations: OperationSource[]
let templates: Templates
let limits: Record<string, { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }>
let byDefault: { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }
let routes: string[]
beforeAll(async () => {
  operations = await loadOperations()
  templates = await templatesOf(operations)
  const { Properties } = templates.httpApiResource('AWS::ApiGatewayV2::Stage')
  limits = Properties.RouteSettings
  byDefault = Properties.DefaultRouteSettings
  const { paths } = templates.httpApiResource('AWS::ApiGatewayV2::Api').Properties.Body as {
    paths: Record<string, Record<string, unknown>>
  }
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      // Normalizes the path of the default route, which may have a leading slash.
      if (path.replace('/', '') === '$default') return '$default'
      return `${method.startsWith('x-') ? 'ANY' : method.toUpperCase()} ${path}`
    }),
  )
})

const routesOf = (credentials: string[]) =>
  operations.flatMap(({ operation: { method, alias, path, credential = 'api' } }) =>
    credentials.includes(credential) ? [method, ...(alias ? [alias] : [])].map((name) => `${name} ${path}`) : [],
  )

describe('limits of routes', () => {
  it('name only existing routes, because an unknown one fails the stage', () => {
    expect(Object.keys(limits).length).toBeGreaterThan(20)
    expect(routes).toEqual(expect.arrayContaining(Object.keys(limits)))
  })

  it('are low exactly for routes without a credential', () => {
    const known = new Set(routesOf(['api', 'client', 'gateway', 'ingest', 'portal', 'session']))
    const anonymous = routes.filter((route) => !known.has(route))
    expect(anonymous).toEqual(
      expect.arrayContaining(['$default', 'ANY /v0/{proxy+}', 'GET /docs', 'GET /seal.pub', 'GET /sign_in/{slug}']),
    )
    expect(anonymous).toEqual(expect.arrayContaining(routesOf(['none'])))
    const small = Object.keys(limits).filter((route) => limits[route]?.ThrottlingRateLimit === 40)
    expect(small.toSorted()).toEqual(anonymous.toSorted())
    for (const route of small) expect(limits[route]?.ThrottlingBurstLimit, route).toBe(200)
  })

  it('are separate for devices, so that other requests do not use them up', () => {
    const ofDevices = routesOf(['client', 'gateway'])
    expect(ofDevices.length).toBeGreaterThan(5)
    for (const route of ofDevices) expect(limits[route], route).toEqual(byDefault)
  })

  it('allow the heartbeats of 10,000 clients and 200 gateways even if all routes share one limit', () => {
    const anonymous = Object.values(limits).filter(({ ThrottlingRateLimit }) => ThrottlingRateLimit === 40)
    const ingest = limits['POST /ingestion/flow_logs']?.ThrottlingRateLimit ?? Number.NaN
    const heartbeats = 10_200 / 30
    expect(anonymous.length * 40 + ingest + heartbeats).toBeLessThan(byDefault.ThrottlingRateLimit)
    // Checks that the anonymous routes together stay below the shared limit of 1,000 requests per second (docs/deploy.md) and API Gateway's
    // default burst limit of 5,000.
    expect(anonymous.length * 40).toBeLessThan(1_000)
    expect(anonymous.length * 200).toBeLessThan(5_000)
  })
})

it('are closed by the restore runbook, except that of flow reports', () => {
  const [, script = ''] =
    /^ *node -p '(.+)' > closed\.json$/m.exec(readFileSync('docs/runbooks/restore.md', 'utf8')) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'limits-'))
  try {
    writeFileSync(join(folder, 'open.json'), JSON.stringify({ DefaultRouteSettings: byDefault, RouteSettings: limits }))
    const closed = JSON.parse(execFileSync(process.execPath, ['-p', script], { cwd: folder, encoding: 'utf8' }))
    const none = { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 }
    const routes = Object.keys(limits).map((route) => [route, none])
    const reports = 'POST /ingestion/flow_logs'
    expect(closed).toEqual({
      DefaultRouteSettings: none,
      RouteSettings: { ...Object.fromEntries(routes), [reports]: limits[reports] },
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('functions with reserved concurrency', () => {
  const reservations = () =>
    new Map(
      templates.all('AWS::Lambda::Function').flatMap(({ Properties: { Handler, ReservedConcurrentExecutions } }) => {
        const file = String(Handler).replace(/\.handler$/, '')
        return ReservedConcurrentExecutions === undefined ? [] : [[file, ReservedConcurrentExecutions] as const]
      }),
    )
  const fileOf = (route: string) => {
    const found = operations.find(({ operation: { method, path } }) => `${method} ${path}` === route)
    return found?.file.replace(/\.ts$/, '')
  }

  it('serve heartbeats, authorizations and each step of a sign-in', () => {
    const found = reservations()
    const ofDevices = ['PUT /client/sessions/{id}', 'PUT /gateway/sessions/{id}', 'POST /client/authorizations']
    for (const route of [...ofDevices, 'POST /client/sessions', 'POST /gateway/sessions'])
      expect(found.get(fileOf(route) ?? ''), route).toBe(50)
    // Excludes the state of a session, which signed-in consoles read.
    const steps = operations.filter(
      ({ operation: { path, credential } }) => /^\/sign_in\/(?!callback)/.test(path) && credential !== 'session',
    )
    expect(steps.length).toBeGreaterThan(4)
    for (const { file } of steps) expect(found.get(file.replace(/\.ts$/, '')), file).toBe(20)
    for (const page of ['page', 'email', 'start']) expect(found.get(`public/sign-in-${page}`), page).toBe(20)
  })

  it('have the sum that the deployment check uses, and leave enough of 1,000 for all others', () => {
    const sum = [...reservations().values()].reduce((total, each) => total + each, 0)
    const [check] = templates.all('AWS::CloudFormation::CustomResource')
    expect(check?.Properties.Reserved).toBe(String(sum))
    // Expects at least the 100 unreserved executions that Lambda requires. Each execution serves ten requests per second.
    expect(1_000 - sum).toBeGreaterThanOrEqual(100)
    expect(10 * (1_000 - sum)).toBeGreaterThanOrEqual(byDefault.ThrottlingRateLimit)
    expect(readFileSync('docs/deploy.md', 'utf8')).toContain(
      `By default, the service reserves ${sum} concurrent executions. This leaves ${1_000 - sum} of an AWS account's 1,000`,
    )
  })
})

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { buildApp } from '#infra/build-app.ts'
import { loadedCode } from '#infra/code/loaded-code.ts'
import { criticalOperations } from '#infra/functions/gradual-shift.ts'
import { type Resource, templatesOf } from '#test/support/service/templates.ts'

type Deployed = Resource & { DependsOn?: string[]; UpdatePolicy?: Record<string, Record<string, unknown>> }

const directory = mkdtempSync(join(tmpdir(), 'live-test-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Writes a bundle: two operations with a common file, one operation without it, and a file that a public function serves. */
function bundleAt(name: string, changed: Record<string, string> = {}): string {
  const files = {
    'api/groups/list-groups.mjs': 'import"../../shared.mjs";export const handler=1',
    'api/groups/create-group.mjs': 'import{x}from"../../shared.mjs";const y=()=>import("../../later.mjs")',
    'api/sites/list-sites.mjs': 'export const handler=1',
    'shared.mjs': 'export{z}from"./deep.mjs"',
    'deep.mjs': 'export const z=1',
    'later.mjs': 'export const later=1',
    'public/docs.mjs': 'export const handler=1',
    'public/docs.html': '<p>docs</p>',
    ...changed,
  }
  const code = join(directory, 'code', name)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(code, file, '..'), { recursive: true })
    writeFileSync(join(code, file), text)
  }
  return code
}

const handlers = ['api/groups/list-groups', 'api/groups/create-group', 'api/sites/list-sites', 'public/docs']

describe('the code that a function can load', () => {
  it.each<[string, string, string[]]>([
    ['deep.mjs', 'export const z=2', ['api/groups/list-groups', 'api/groups/create-group']],
    ['later.mjs', 'export const later=2', ['api/groups/create-group']],
    ['api/sites/list-sites.mjs', 'export const handler=2', ['api/sites/list-sites']],
    ['public/docs.html', '<p>more</p>', ['public/docs']],
    ['nobody.mjs', 'export const nothing=1', []],
  ])('a change of %s affects only functions that load it', (file, text, concerned) => {
    const before = loadedCode(bundleAt('before'))
    const after = loadedCode(bundleAt(`after-${file.replaceAll('/', '-')}`, { [file]: text }))
    const changed = handlers.filter((name) => before(`${name}.handler`) !== after(`${name}.handler`))
    expect(changed).toEqual(concerned)
  })

  it('is equal at any location', () => {
    const code = bundleAt('here')
    cpSync(code, join(directory, 'there'), { recursive: true })
    for (const name of handlers) {
      expect(loadedCode(code)(`${name}.handler`)).toBe(loadedCode(join(directory, 'there'))(`${name}.handler`))
    }
  })
})

/** Builds the app. Returns a function that lists the resources of a type, each with the name of its stack. */
async function deployed(name: string, code: string, context: Record<string, unknown> = {}) {
  const operations = (await loadOperations()).filter(
    ({ operation: { method, path } }) => /^\/(groups|sites)$/.test(path) || criticalOperations.has(`${method} ${path}`),
  )
  const app = await buildApp({ outdir: join(directory, 'assembly', name), operations, code, context })
  const stacks = app.node.findAll().filter((node) => Stack.isStack(node))
  const all = stacks.flatMap((stack) =>
    Object.entries<Deployed>(Template.fromStack(stack).toJSON().Resources ?? {}).map(([id, resource]) => ({
      stack: stack.node.id,
      id,
      ...resource,
    })),
  )
  return (type: string) => all.filter(({ Type }) => Type === type)
}

const versionsOf = (ofType: Awaited<ReturnType<typeof deployed>>) =>
  new Map(
    ofType('AWS::Lambda::Version').map(({ stack, id, Properties }) => [`${stack} ${Properties.FunctionName.Ref}`, id]),
  )

describe('every function', () => {
  let ofType: Awaited<ReturnType<typeof deployed>>
  let functions: ReturnType<typeof ofType>
  beforeAll(async () => {
    ofType = await deployed('now', bundleAt('now'))
    functions = ofType('AWS::Lambda::Function').filter(({ Properties }) => String(Properties.Handler).includes('/'))
  })

  it('has a version and an alias that points to it', () => {
    expect(functions.length).toBeGreaterThan(15)
    for (const { stack, id } of functions) {
      const own = (type: string) =>
        ofType(type).filter((other) => other.stack === stack && other.Properties.FunctionName.Ref === id)
      const [version, ...others] = own('AWS::Lambda::Version')
      expect([others, own('AWS::Lambda::Alias').map(({ Properties }) => Properties)], id).toEqual([
        [],
        [{ FunctionName: { Ref: id }, FunctionVersion: { 'Fn::GetAtt': [version?.id, 'Version'] }, Name: 'current' }],
      ])
    }
  })

  it("has the version's hash in its description, so that both change together", () => {
    const versions = versionsOf(ofType)
    for (const { stack, id, Properties } of functions) {
      const [, hash] = /Version[0-9A-F]{8}([0-9a-f]{8})[0-9a-f]{24}$/.exec(versions.get(`${stack} ${id}`) ?? '') ?? []
      expect(Properties.Description, id).toMatch(new RegExp(`\\[${hash}\\]$`))
    }
  })

  it('is invoked only through its alias', async () => {
    const apis = await templatesOf((await loadOperations()).filter(({ operation }) => operation.path === '/groups'))
    const aliases = ofType('AWS::Lambda::Alias').map(({ id }) => id)
    const invoked = [
      ...ofType('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties.FunctionName),
      ...ofType('AWS::Lambda::Permission').map(({ Properties }) => Properties.FunctionName),
      ...ofType('AWS::Events::Rule').flatMap(({ Properties }) =>
        Properties.Targets.map(({ Arn }: { Arn: unknown }) => Arn),
      ),
    ]
    expect(invoked.length).toBeGreaterThan(8)
    for (const reference of invoked) expect(aliases).toContain(reference.Ref)
    const body = apis.all('AWS::ApiGatewayV2::Api').flatMap(({ Properties }) => Properties.Body ?? [])
    const uris = [...JSON.stringify(body).matchAll(/"uri":(\{.*?\}),"credentials"/g)].map(([, uri]) => String(uri))
    expect(uris.length).toBeGreaterThan(10)
    const ofChannel = ofType('AWS::ApiGatewayV2::Integration').map(({ Properties }) => Properties.IntegrationUri)
    expect(ofChannel).toHaveLength(3)
    for (const uri of [...uris, ...ofChannel.map((uri) => JSON.stringify(uri))])
      expect(uri).toMatch(/Current[0-9A-F]{8}/)
    for (const { Properties } of ofType('AWS::Lambda::EventInvokeConfig')) {
      expect(JSON.stringify(Properties.Qualifier)).toMatch(/Current[0-9A-F]{8}/)
    }
  })

  it('gets a new version when its code has changed, and no other function does', async () => {
    const changed = await deployed('changed', bundleAt('changed', { 'deep.mjs': 'export const z=2' }))
    const [before, after] = [versionsOf(ofType), versionsOf(changed)]
    expect([...after.keys()]).toEqual([...before.keys()])
    const renewed = [...after].filter(([key, id]) => before.get(key) !== id).map(([key]) => key)
    expect(renewed).toEqual([expect.stringMatching(/groups GetGroups/), expect.stringMatching(/groups PostGroups/)])
    expect(
      new Set(changed('AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties.Code))).size,
    ).toBe(1)
  })

  it('gets a new version when its settings have changed', async () => {
    const changed = await deployed('set', bundleAt('set'), { heartbeatSecs: 60 })
    const [before, after] = [versionsOf(ofType), versionsOf(changed)]
    expect([...after].filter(([key, id]) => before.get(key) === id)).toEqual([])
  })

  it.each([{}, { baseUrl: 'https://access.example.com' }])(
    'is deployed after the readers of its items, for any address of the service: %j',
    async (context) => {
      const all = await deployed('behind', bundleAt('behind'), context)
      const aliases = all('AWS::Lambda::Alias').filter(({ stack }) => stack === 'NetworkAccess')
      const readers = [
        'ConsumersWriteChangeLog',
        'ConsumersFollowUp',
        'ConsumersStoreFlowLogs',
        'PasscodesMailPasscode',
      ]
      const isFirst = ({ id }: { id: string }) => [...readers, 'ConcurrencyCheck'].some((name) => id.startsWith(name))
      const nested = all('AWS::CloudFormation::Stack').filter(({ id }) => id !== 'LookUps')
      const others = [...nested, ...aliases.filter((alias) => !isFirst(alias))]
      expect(others.length).toBeGreaterThan(20)
      for (const { id, DependsOn = [] } of others)
        for (const reader of readers)
          expect(DependsOn, id).toContainEqual(expect.stringMatching(new RegExp(`^${reader}Current`)))
    },
  )

  it('retains replaced versions for a rollback, but not those of a failed deployment', () => {
    const versions = ofType('AWS::Lambda::Version')
    expect(versions.length).toBeGreaterThan(20)
    for (const { id, DeletionPolicy, UpdateReplacePolicy } of versions)
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'RetainExceptOnCreate', 'Retain'])
  })

  const metricsOf = ({ Properties }: Deployed): { MetricName: string; Dimensions: Dimension[] }[] =>
    Properties.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: object } }) => MetricStat?.Metric ?? [])
  type Dimension = { Name: string; Value: unknown }
  const dimensionOf = (dimensions: Dimension[], name: string) => dimensions.find(({ Name }) => Name === name)?.Value

  it.each([{}, { metrics: 'none' }])(
    'that carries load is shifted in steps, with a rollback on alarm: %j',
    async (context) => {
      const all = await deployed('shifted', bundleAt('shifted'), context)
      const shifted = all('AWS::Lambda::Alias').filter(({ UpdatePolicy }) => UpdatePolicy)
      expect(shifted).toHaveLength(criticalOperations.size)
      const groups = all('AWS::CodeDeploy::DeploymentGroup')
      expect(groups).toHaveLength(criticalOperations.size)
      for (const { stack, UpdatePolicy, Properties } of shifted) {
        const { ApplicationName, DeploymentGroupName } = (UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? {}) as Record<
          string,
          { Ref: string }
        >
        const group = groups.find(({ id }) => id === DeploymentGroupName?.Ref)?.Properties
        expect(group).toMatchObject({
          ApplicationName,
          DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
          AlarmConfiguration: { Enabled: true },
          AutoRollbackConfiguration: {
            Enabled: true,
            Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
          },
        })
        const names = group?.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => Name.Ref)
        const alarms = all('AWS::CloudWatch::Alarm').filter(
          (alarm) => alarm.stack === stack && names.includes(alarm.id),
        )
        expect(alarms).toHaveLength(2)
        const version = Properties.FunctionVersion
        expect(version).toMatchObject({ 'Fn::GetAtt': [expect.stringMatching(/Version/), 'Version'] })
        for (const alarm of alarms) {
          const [path] = /docs\/runbooks\/[\w-]+\.md/.exec(alarm.Properties.AlarmDescription) ?? []
          expect(path && existsSync(path), alarm.id).toBe(true)
          // Expects a separate alarm for each version, so that no alarm inherits the state of another.
          expect(JSON.stringify(alarm.Properties.AlarmName)).toContain(JSON.stringify(version))
          for (const { MetricName, Dimensions } of metricsOf(alarm)) {
            const name = MetricName === 'faults_by_version' ? 'version' : 'ExecutedVersion'
            expect(dimensionOf(Dimensions, name), `${alarm.id} ${MetricName}`).toEqual(version)
            if (name === 'version') continue
            const { FunctionName } = Properties
            expect(dimensionOf(Dimensions, 'FunctionName')).toEqual(FunctionName)
            expect(dimensionOf(Dimensions, 'Resource')).toEqual({ 'Fn::Join': ['', [FunctionName, ':current']] })
          }
        }
        expect(
          alarms
            .flatMap(metricsOf)
            .map(({ MetricName }) => MetricName)
            .sort(),
        ).toEqual(['Errors', 'Invocations', 'Invocations', 'faults_by_version'])
      }
    },
  )

  it('that carries load has its faults counted per operation by a metric filter', () => {
    const [filter] = ofType('AWS::Logs::MetricFilter').filter(({ id }) => /FaultsByVersion/.test(id))
    const [transformation] = filter?.Properties.MetricTransformations ?? []
    expect(transformation).toMatchObject({ MetricValue: '1', MetricNamespace: 'NetworkAccess' })
    // Expects no default value, because CloudWatch refuses one for a metric with dimensions.
    expect(transformation.DefaultValue).toBeUndefined()
    const names = transformation.Dimensions.map(({ Key }: { Key: string }) => Key)
    const counted = ofType('AWS::CloudWatch::Alarm')
      .filter(({ stack }) => stack !== 'NetworkAccess')
      .flatMap(metricsOf)
      .filter(({ MetricName }) => MetricName === transformation.MetricName)
    expect(counted.map(({ Dimensions }) => dimensionOf(Dimensions, 'operation')).sort()).toEqual(
      [...criticalOperations].sort(),
    )
    for (const { Dimensions } of counted) expect(Dimensions.map(({ Name }) => Name).sort()).toEqual(names.sort())
  })

  it('is switched at once without alarms if configured', async () => {
    const all = await deployed('at-once', bundleAt('at-once'), { shift: 'at-once' })
    expect(all('AWS::Lambda::Alias').filter(({ UpdatePolicy }) => UpdatePolicy)).toEqual([])
    for (const type of ['DeploymentGroup', 'Application']) expect(all(`AWS::CodeDeploy::${type}`)).toEqual([])
    expect(all('AWS::CloudWatch::Alarm').filter(({ stack }) => stack !== 'NetworkAccess')).toEqual([])
    // Expects equal versions for both settings, because the setting does not change the functions.
    expect(versionsOf(all)).toEqual(versionsOf(await deployed('canary', bundleAt('canary'))))
  })

  it('allows CodeDeploy to move only these aliases', () => {
    const policies = ofType('AWS::IAM::Policy').filter(({ id }) => id.startsWith('ShiftRole'))
    expect(policies.length).toBeGreaterThan(0)
    for (const { Properties } of policies) {
      const statements = Properties.PolicyDocument.Statement as { Action: string | string[]; Resource: unknown }[]
      expect(statements.flatMap(({ Action }) => Action).sort()).toEqual([
        'cloudwatch:DescribeAlarms',
        'lambda:GetAlias',
        'lambda:GetProvisionedConcurrencyConfig',
        'lambda:UpdateAlias',
      ])
      for (const { Resource } of statements) expect(Resource).not.toBe('*')
      // Expects no version numbers, because the alarm of a future version must be readable before the policy is updated.
      expect(JSON.stringify(statements)).not.toContain('Version')
    }
    const roles = ofType('AWS::IAM::Role').filter(({ id }) => id.startsWith('ShiftRole'))
    for (const { Properties } of roles) expect(Properties.ManagedPolicyArns).toBeUndefined()
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { withoutCode } from '#infra/without-code.ts'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

const few = async (): Promise<OperationSource[]> =>
  (await loadOperations()).filter(({ operation }) => /^\/(groups|ingestion|sign_in\/callback)/.test(operation.path))
let operations: OperationSource[]
let templates: Templates
let chosen: Templates
const boundary = 'arn:aws:iam::123456789012:policy/team/edge'
beforeAll(async () => {
  operations = await few()
  templates = await templatesOf(operations)
  chosen = await templatesOf(operations, {
    throttleRate: 10,
    throttleBurst: 20,
    ingestRate: 30,
    ingestBurst: 40,
    anonymousRate: 5,
    anonymousBurst: 20,
    reserveConcurrency: false,
    ipAddressType: 'ipv4',
    logGroupDays: '400',
    permissionsBoundary: boundary,
    tags: 'team=network,stage=live',
  })
})

const only = (type: string, from = templates): Resource => {
  const found = from.all(type)
  expect(found).toHaveLength(1)
  return found[0] as Resource
}
const functionOf = (handler: string, from = templates) =>
  from.all('AWS::Lambda::Function').find(({ Properties }) => Properties.Handler === `${handler}.handler`)?.Properties

describe('load', () => {
  const limit = (ThrottlingRateLimit: number, ThrottlingBurstLimit: number) => ({
    ThrottlingRateLimit,
    ThrottlingBurstLimit,
  })

  it('is limited by the stage, with separate limits for reports and anonymous requests', () => {
    expect(templates.httpApiResource('AWS::ApiGatewayV2::Stage').Properties).toMatchObject({
      DefaultRouteSettings: limit(3_000, 5_000),
      RouteSettings: { 'POST /ingestion/flow_logs': limit(1_000, 2_000), $default: limit(40, 200) },
    })
    expect(chosen.httpApiResource('AWS::ApiGatewayV2::Stage').Properties).toMatchObject({
      DefaultRouteSettings: limit(10, 20),
      RouteSettings: { 'POST /ingestion/flow_logs': limit(30, 40), $default: limit(5, 20) },
    })
  })

  const reserved = (from: Templates) =>
    [
      'api/ingestion/report-flow-logs',
      'sign-in/open-id/complete-sign-in',
      'sign-in/open-id/complete-sign-in-of-provider',
      'public/sign-in-page',
      'streams/write-change-log',
      'streams/follow-up',
      'streams/store-flow-logs',
      'api/groups/list-groups',
    ].map((handler) => functionOf(handler, from)?.ReservedConcurrentExecutions)

  it('does not take the reserved concurrency of reports, callbacks and consumers', () => {
    expect(reserved(templates)).toEqual([100, 50, 50, 20, 20, 20, 6, undefined])
    expect(reserved(chosen)).toEqual(Array(8).fill(undefined))
  })

  it("is compared with the account's quota before anything is reserved", async () => {
    const [id, check] = templates.entries('AWS::CloudFormation::CustomResource')[0] as [
      string,
      Resource & { DependsOn: string[] },
    ]
    expect(check.Properties).toMatchObject({ Reserved: '306', RequestsPerSecond: '3000', ServiceTimeout: 180 })
    const waits = (of: [string, Resource] | undefined) => (of?.[1] as { DependsOn?: string[] })?.DependsOn
    const findResource = (type: string, part: string) => templates.entries(type).find(([name]) => name.includes(part))
    for (const stack of ['ingestion', 'signin'])
      expect(waits(findResource('AWS::CloudFormation::Stack', stack)), stack).toContain(id)
    for (const name of ['ConsumersWriteChangeLog', 'ConsumersFollowUp', 'ConsumersStoreFlowLogs', 'GetSignInBySlug'])
      expect(waits(findResource('AWS::Lambda::Function', name)), name).toContain(id)
    const outputs = templates.stacks.flatMap(({ Outputs = {} }) => Object.entries(Outputs))
    expect(outputs).toContainEqual(['Concurrency', { Value: { 'Fn::GetAtt': [id, 'Found'] } }])
  })
})

describe('the address', () => {
  const endpoint = (from: Templates) =>
    from.httpApiResource('AWS::ApiGatewayV2::Api').Properties.Body.servers[0][
      'x-amazon-apigateway-endpoint-configuration'
    ]
  const domain = {
    domainName: 'access.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/a',
  }

  it('supports both kinds of IP by default', () => {
    expect(endpoint(templates)).toEqual({ ipAddressType: 'dualstack', disableExecuteApiEndpoint: false })
    expect(endpoint(chosen).ipAddressType).toBe('ipv4')
  })

  it('is only the custom domain if there is one', async () => {
    const ownTemplates = await templatesOf([], domain)
    expect(endpoint(ownTemplates).disableExecuteApiEndpoint).toBe(true)
    expect(only('AWS::ApiGatewayV2::DomainName', ownTemplates).Properties).toMatchObject({
      DomainName: 'access.example.com',
      DomainNameConfigurations: [
        {
          CertificateArn: domain.certificateArn,
          EndpointType: 'REGIONAL',
          IpAddressType: 'dualstack',
          SecurityPolicy: 'TLS_1_2',
        },
      ],
    })
    expect(only('AWS::ApiGatewayV2::ApiMapping', ownTemplates).Properties.Stage).toEqual({
      Ref: ownTemplates.httpApiResource('AWS::ApiGatewayV2::Stage').id,
    })
    const outputs = Object.assign({}, ...ownTemplates.stacks.map(({ Outputs }) => Outputs))
    expect(outputs.ApiEndpoint.Value).toBe('https://access.example.com')
    expect(outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] })
    expect(functionOf('streams/follow-up', ownTemplates)?.Environment.Variables.SERVICE_URL).toBe(
      'https://access.example.com',
    )
  })
})

describe('logs of AWS services', () => {
  it("have names that CloudWatch's rule allows API Gateway to write, and that no other deployment has", () => {
    const names = templates.all('AWS::Logs::LogGroup').flatMap(({ Properties }) => Properties.LogGroupName ?? [])
    expect(names).toHaveLength(1)
    const [text, end] = names[0]['Fn::Join'][1]
    expect(text).toBe('/aws/vendedlogs/apis/network-access-')
    expect(JSON.stringify(end)).toContain('AWS::StackId')
  })

  it('are kept for the configured time', () => {
    const days = chosen.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties.RetentionInDays)
    expect(days).toEqual([400, 400])
  })
})

/** Returns the keys that encrypt data. The keys of seals and of stored secrets are multi-Region, and therefore excluded. */
const encrypting = (from: Templates) =>
  from.entries('AWS::KMS::Key').filter(([, { Properties }]) => !Properties.MultiRegion)

describe('a customer managed key', () => {
  const arn = 'arn:aws:kms:eu-central-1:123456789012:key/0-1-2'
  const keysIn = (from: Templates) => ({
    table: only('AWS::DynamoDB::GlobalTable', from).Properties.Replicas[0].SSESpecification?.KMSMasterKeyId,
    flows: only('AWS::Kinesis::Stream', from).Properties.StreamEncryption.KeyId,
    buckets: from
      .all('AWS::S3::Bucket')
      .map(
        ({ Properties }) =>
          Properties.BucketEncryption.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault.KMSMasterKeyID,
      ),
    secret: only('AWS::SecretsManager::Secret', from).Properties.KmsKeyId,
    alarms: only('AWS::SNS::Topic', from).Properties.KmsMasterKeyId,
    logs: from.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties.KmsKeyId),
  })

  it('encrypts all stored data', async () => {
    expect(keysIn(await templatesOf([], { encryptionKey: arn }))).toEqual({
      table: arn,
      flows: arn,
      buckets: [arn, arn, arn],
      secret: arn,
      alarms: arn,
      logs: [arn, arn],
    })
  })

  it('is created, rotated and retained if a deployment requests it', async () => {
    const ownTemplates = await templatesOf([], { encryptionKey: 'own' })
    const [[id, key], ...more] = encrypting(ownTemplates) as [[string, Resource]]
    expect(more).toEqual([])
    expect([key.DeletionPolicy, key.Properties.EnableKeyRotation]).toEqual(['RetainExceptOnCreate', true])
    const its = { 'Fn::GetAtt': [id, 'Arn'] }
    expect(keysIn(ownTemplates)).toEqual({
      table: its,
      flows: its,
      buckets: [its, its, its],
      secret: its,
      alarms: its,
      logs: [its, its],
    })
    const services = key.Properties.KeyPolicy.Statement.flatMap(
      ({ Principal }: { Principal: { Service?: string | object[] } }) => Principal.Service ?? [],
    )
    // Expects the regional service principal of CloudWatch Logs.
    expect(services).toContainEqual({
      'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]],
    })
    expect(services).toEqual(expect.arrayContaining(['cloudwatch.amazonaws.com', 'logs.amazonaws.com']))
  })

  it('is used by each role only through services with data, and not by other roles', async () => {
    const encrypted = await templatesOf([], { encryptionKey: arn })
    const users = encrypted.entries('AWS::IAM::Policy').flatMap(([id, { Properties }]) => {
      const statements: { Action: unknown; Resource: unknown; Condition?: { StringLike?: object } }[] =
        Properties.PolicyDocument.Statement
      const use = statements.filter(({ Resource }) => Resource === arn)
      for (const { Action, Condition } of use) {
        // Skips the permission that the CDK grants to each consumer of an encrypted stream.
        if (Action === 'kms:Decrypt') continue
        expect(Object.keys(Condition?.StringLike ?? {})).toEqual(['kms:ViaService'])
      }
      return use.length > 0 ? [id.replace(/^Roles|DefaultPolicy[0-9A-F]{8}$/g, '')] : []
    })
    expect(users).toEqual(expect.arrayContaining(['Reader', 'Writer', 'Ingest', 'StoreFlowLogs', 'Redrive', 'Verify']))
    expect(users).not.toContain('Public')
  })

  it('is absent by default', () => {
    expect(encrypting(templates)).toEqual([])
    expect(keysIn(templates)).toMatchObject({ table: undefined, secret: undefined, alarms: undefined })
  })
})

describe('company-wide requirements', () => {
  it('set a boundary on every role', async () => {
    const front = {
      domainName: 'access.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/a',
      frontCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/b',
    }
    const bounded = await templatesOf(operations, { ...front, permissionsBoundary: 'edge' })
    const roles = bounded.all('AWS::IAM::Role')
    expect(roles.length).toBeGreaterThan(10)
    for (const { Properties } of roles)
      expect(JSON.stringify(Properties.PermissionsBoundary)).toMatch(/"arn:".*":policy\/edge"/)
    for (const { Properties } of chosen.all('AWS::IAM::Role')) expect(Properties.PermissionsBoundary).toBe(boundary)
    for (const { Properties } of templates.all('AWS::IAM::Role')) expect(Properties.PermissionsBoundary).toBeUndefined()
  })

  it('set tags on every stack, which company policies may require', async () => {
    const tagged = await withoutCode({ operations, context: { tags: 'team=network,stage=live' } }, (app) =>
      app.synth().stacks.map(({ tags }) => tags),
    )
    expect(tagged).toEqual(tagged.map(() => ({ team: 'network', stage: 'live' })))
    expect(tagged.length).toBeGreaterThan(1)
  })

  it('set tags on every resource that supports them, unless it gets those of the stack', () => {
    for (const { Properties } of chosen.all('AWS::Lambda::Function')) expect(Properties.Tags).toBeUndefined()
    for (const type of ['AWS::SNS::Topic', 'AWS::IAM::Role', 'AWS::S3::Bucket', 'AWS::Kinesis::Stream']) {
      const found = chosen.all(type)
      expect(found.length).toBeGreaterThan(0)
      for (const { Properties } of found)
        expect(Properties.Tags, type).toEqual(
          expect.arrayContaining([
            { Key: 'team', Value: 'network' },
            { Key: 'stage', Value: 'live' },
          ]),
        )
    }
  })
})

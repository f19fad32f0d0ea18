import { beforeAll, describe, expect, it } from 'vitest'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

let templates: Templates
beforeAll(async () => {
  templates = await templatesOf([])
})

const withData = new Set([
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::Kinesis::Stream',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
])

const dataOf = (of: Templates) => of.stack('NetworkAccess-Data')
const stateful = (resources: Record<string, Resource>) =>
  Object.entries(resources).filter(([, { Type }]) => withData.has(Type))

describe('data', () => {
  it('is in a single stack with termination protection', () => {
    const { resources, terminationProtection } = dataOf(templates)
    expect(terminationProtection).toBe(true)
    expect(new Set(stateful(resources).map(([, { Type }]) => Type)).size).toBeGreaterThanOrEqual(5)
    const elsewhere = templates.resources.filter((stack) => stack !== resources).flatMap(stateful)
    expect(elsewhere.map(([id]) => id)).toEqual([])
  })

  it('is retained when its stack or resource is deleted or replaced, but not after a failed first deployment', () => {
    for (const [id, resource] of stateful(dataOf(templates).resources))
      expect([resource.DeletionPolicy, resource.UpdateReplacePolicy], id).toEqual(['RetainExceptOnCreate', 'Retain'])
  })

  it('is created before the table, the last resource of the stack', () => {
    const { resources } = dataOf(templates)
    const [table] = Object.entries(resources).find(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable') ?? []
    const others = Object.keys(resources).filter((id) => id !== table)
    expect(others.length).toBeGreaterThan(0)
    const { DependsOn = [], Properties } = resources[table as string] as Resource
    const waitsFor = (id: string) => DependsOn.includes(id) || JSON.stringify(Properties).includes(`"${id}"`)
    expect(others.filter((id) => !waitsFor(id))).toEqual([])
  })

  it('does not block the deletion of other stacks, because no stack has exports', () => {
    for (const { Outputs = {} } of templates.stacks)
      for (const output of Object.values<object>(Outputs)) expect(output).not.toHaveProperty('Export')
  })

  it('is deleted with its stack in a trial', async () => {
    const trial = dataOf(await templatesOf([], { keepData: 'false' }))
    expect(trial.terminationProtection).toBe(false)
    expect(stateful(trial.resources).map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(
      stateful(trial.resources).map(() => 'Delete'),
    )
    expect(JSON.stringify(trial.resources)).not.toContain('"DeletionProtectionEnabled":true')
    // Expects that buckets are emptied before their deletion, because CloudFormation cannot delete a bucket with objects.
    const bucketsOf = (type: string) =>
      Object.values(trial.resources).flatMap(({ Type, Properties }) =>
        Type === type ? Properties.BucketName?.Ref : [],
      )
    const buckets = Object.entries(trial.resources).flatMap(([id, { Type }]) => (Type === 'AWS::S3::Bucket' ? id : []))
    expect(bucketsOf('Custom::S3AutoDeleteObjects').toSorted()).toEqual(buckets.toSorted())
    expect(JSON.stringify(dataOf(templates).resources)).not.toContain('AutoDelete')
  })
})

it('retains no resource after a failed first deployment of the service', () => {
  const otherStacks = templates.resources.filter((stack) => stack !== dataOf(templates).resources)
  // Allows `RetainExceptOnCreate`. With this policy, a failed first deployment deletes the function versions that it created.
  const kept = otherStacks.flatMap((stack) =>
    Object.entries(stack).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain'),
  )
  expect(kept.map(([id]) => id)).toEqual([])
})

describe('existing data', () => {
  const account = 'eu-central-1:123456789012'
  const settings = {
    tableStreamArn: `arn:aws:dynamodb:${account}:table/restored/stream/2026-11-22T08:00:00.000`,
    flowStreamArn: `arn:aws:kinesis:${account}:stream/flows`,
    failuresBucket: 'kept-failures',
    secretKeyArn: `arn:aws:kms:${account}:key/0f0e0d0c-0b0a-4009-8807-060504030202`,
    sealBucket: 'kept-seals',
    sealKeyArn: `arn:aws:kms:${account}:key/0f0e0d0c-0b0a-4009-8807-060504030201`,
    archiveBucket: 'kept-archive',
  }
  let adopting: Templates
  beforeAll(async () => {
    adopting = await templatesOf([], settings)
  })

  it('is used instead of created', () => {
    const made = stateful(dataOf(adopting).resources).map(([, { Type }]) => Type)
    // Allows a new signing secret, because a new one does not invalidate any stored token.
    expect(new Set(made)).toEqual(new Set(['AWS::Logs::LogGroup', 'AWS::SecretsManager::Secret']))
    const variables = adopting
      .all('AWS::Lambda::Function')
      .find(({ Properties }) => Properties.Handler === 'tasks/provision-account.handler')?.Properties
      .Environment.Variables
    expect(variables).toMatchObject({
      TABLE_NAME: 'restored',
      FLOW_STREAM_NAME: 'flows',
      FAILURES_BUCKET: 'kept-failures',
      SECRET_KEY_ARN: settings.secretKeyArn,
      SEAL_BUCKET: 'kept-seals',
      SEAL_KEY_ID: settings.sealKeyArn,
      ARCHIVE_BUCKET: 'kept-archive',
    })
  })

  it('is accessible to the roles, and feeds the consumers', () => {
    const sources = adopting.all('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties.EventSourceArn)
    expect(sources.sort()).toEqual([settings.tableStreamArn, settings.tableStreamArn, settings.flowStreamArn].sort())
    const policies = JSON.stringify(adopting.all('AWS::IAM::Policy'))
    expect(policies).toContain(`arn:aws:dynamodb:${account}:table/restored"`)
    expect(policies).toContain(settings.secretKeyArn)
    expect(policies).not.toMatch(/Storage(?!SigningSecret)/)
  })

  it('changes the version of each function', async () => {
    const versionsOf = async (context: Record<string, unknown>) =>
      (await templatesOf([], context, true)).entries('AWS::Lambda::Version').map(([id]) => id)
    const [own, adopted] = [await versionsOf({}), await versionsOf(settings)]
    expect(adopted).toHaveLength(own.length)
    expect(adopted.filter((id) => own.includes(id))).toEqual([])
  })

  const allowed = (action: string, resource: string) =>
    adopting
      .entries('AWS::IAM::Policy')
      .filter(([, { Properties }]) =>
        Properties.PolicyDocument.Statement.some(
          ({ Effect, Action, Resource }: Record<string, string | string[]>) =>
            Effect === 'Allow' && [Action].flat().includes(action) && JSON.stringify(Resource).includes(resource),
        ),
      )
      .map(([id]) => id.replace(/DefaultPolicy.*/, ''))
      .sort()

  it('is sealed by only one role, with the existing bucket and key', () => {
    expect(allowed('s3:PutObject', 'kept-seals/*')).toEqual(['RolesSeal'])
    expect(allowed('kms:Sign', settings.sealKeyArn)).toEqual(['RolesSeal'])
    expect(allowed('kms:GetPublicKey', settings.sealKeyArn)).toHaveLength(3)
  })

  it('is archived by only one role, in the existing bucket, which only operations on logs read', () => {
    expect(allowed('s3:PutObject', 'kept-archive/*')).toEqual(['RolesArchive'])
    expect(allowed('s3:PutObject', 'kept-archive/v1/flow/*')).toContain('RolesEraseActor')
    expect(allowed('s3:GetObject', 'kept-archive/*')).toEqual([
      'RolesArchive',
      'RolesEraseActor',
      'RolesReaderOfLogs',
      'RolesVerifyArchive',
    ])
    expect(allowed('s3:DeleteObject', 'kept-archive')).toEqual([])
  })

  it('may be incomplete', async () => {
    const some = await templatesOf([], { tableStreamArn: settings.tableStreamArn })
    const made = stateful(dataOf(some).resources).map(([, { Type }]) => Type)
    expect(made).not.toContain('AWS::DynamoDB::GlobalTable')
    expect(made).toContain('AWS::SecretsManager::Secret')
  })

  it('keeps the ids of event source mappings, because a function cannot have a second one', async () => {
    const names = (of: Templates) => of.entries('AWS::Lambda::EventSourceMapping').map(([id]) => id)
    expect(names(adopting)).toEqual(names(templates))
    expect(names(await templatesOf([], { stackName: 'Other' }))).toEqual(names(templates))
  })
})

it('creates the table with the chosen class, and does not change an existing one', async () => {
  const classOf = async (context: Record<string, unknown>) =>
    (await templatesOf([], context))
      .all('AWS::DynamoDB::GlobalTable')
      .map(({ Properties }) => Properties.Replicas[0].TableClass)
  expect(await classOf({})).toEqual([undefined])
  expect(await classOf({ tableClass: 'infrequent-access' })).toEqual(['STANDARD_INFREQUENT_ACCESS'])
  const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026'
  expect(await classOf({ tableClass: 'infrequent-access', tableStreamArn })).toEqual([])
})

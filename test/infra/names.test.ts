import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { featureFlags } from '#infra/feature-flags.ts'
import { templatesOf } from '#test/support/service/templates.ts'

const some = async () => (await loadOperations()).filter(({ operation }) => operation.path.startsWith('/groups'))

/** Properties whose values must be unique within an account and region. Two deployments must therefore not use the same value. */
const naming =
  /^(BackupPlanName|BackupVaultName|BucketName|DashboardName|FunctionName|GroupName|LogGroupName|RoleName|MetricNamespace|TableName|TopicName|AlarmName)$/

function* spelledNames(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    if (typeof item === 'string' && naming.test(name)) yield item
    else yield* spelledNames(item)
  }
}

describe('several deployments in one account and region', () => {
  const backupVaultArn = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:elsewhere'

  it('share neither stack names nor explicit names', async () => {
    const [one, other] = await Promise.all([
      templatesOf(await some(), { backupVaultArn }),
      templatesOf(await some(), { backupVaultArn, stackName: 'AccessTest' }),
    ])
    expect(one.names).toEqual(['NetworkAccess-Data', 'NetworkAccess-Backup', 'NetworkAccess'])
    expect(other.names).toEqual(['AccessTest-Data', 'AccessTest-Backup', 'AccessTest'])
    const names = [...spelledNames(one.resources)]
    expect(names.length).toBeGreaterThan(0)
    const shared = [...spelledNames(other.resources)].filter((name) => names.includes(name))
    expect(shared).toEqual([])
  })

  it('share no explicit names even with an equal prefix', async () => {
    const [one, other] = await Promise.all(
      ['One', 'Two'].map(async (stackName) => templatesOf(await some(), { backupVaultArn, stackName, prefix: 'corp' })),
    )
    const names = [...spelledNames(one?.resources)]
    expect([...spelledNames(other?.resources)].filter((name) => names.includes(name))).toEqual([])
    const [mailer] = one?.all('AWS::Lambda::Function').filter(({ Properties }) => Properties.FunctionName) ?? []
    expect(JSON.stringify(mailer?.Properties.FunctionName)).toContain('AWS::StackId')
  })

  it('have resources with equal logical ids', async () => {
    const [one, other] = await Promise.all([
      templatesOf(await some()),
      templatesOf(await some(), { stackName: 'Other' }),
    ])
    // Types whose ids may depend on the deployment, because these resources can be replaced. A permission's id includes the stack's name,
    // and a version's id is a hash of the function's settings.
    const madeAnew = new Set(['AWS::Lambda::Permission', 'AWS::Lambda::Version'])
    const ids = ({ resources }: typeof one) =>
      resources.map((stack) => Object.entries(stack).flatMap(([id, { Type }]) => (madeAnew.has(Type) ? [] : [id])))
    expect(ids(other)).toEqual(ids(one))
  })

  it.each([
    [{}, 'network-access'],
    [{ stackName: 'AccessTest2' }, 'access-test2'],
    [{ stackName: 'corp-Access' }, 'corp-access'],
    [{ stackName: 'AccessTest', prefix: 'corp' }, 'corp'],
  ])('prefix explicit names: %j → %s', async (context, prefix) => {
    const apis = (await templatesOf([], context)).all('AWS::ApiGatewayV2::Api')
    const names = apis.map(({ Properties: { Body, Name } }) => Name ?? Body.info.title)
    expect(names.sort()).toEqual([prefix, `${prefix}-live`])
  })

  it.each([
    [{ stackName: '1st' }, 'stackName must be a letter'],
    [{ stackName: 'a_b' }, 'stackName must be a letter'],
    [{ prefix: 'Corp' }, 'prefix must be a lowercase letter'],
    [{ keepData: 'no' }, 'keepData must be true or false'],
    [
      { tableStreamArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/t' },
      'must be the ARN of the stream of a DynamoDB table',
    ],
    [{ flowStreamArn: 'flows' }, 'flowStreamArn must be the ARN of a Kinesis data stream'],
    [{ failuresBucket: 's3://bucket' }, 'failuresBucket must be the name of an S3 bucket'],
    [{ secretKeyArn: 'alias/secrets' }, 'secretKeyArn must be the ARN of a KMS key'],
    [{ sealBucket: 'Sealed Logs' }, 'sealBucket must be the name of an S3 bucket'],
    [{ archiveBucket: 's3://archive' }, 'archiveBucket must be the name of an S3 bucket'],
    [{ sealKeyArn: 'alias/seal' }, 'sealKeyArn must be the ARN of a KMS key'],
    [{ backupVaultArn: 'vault' }, 'backupVaultArn must be the ARN of a backup vault'],
    [{ backupDays: 0 }, 'backupDays must be an integer from 1 to 36500'],
  ])('refuse %j', async (context, message) => {
    await expect(templatesOf([], context)).rejects.toThrow(message)
  })
})

describe('every partition', () => {
  it('works without an explicit host or ARN of another partition', async () => {
    const { stacks } = await templatesOf(await some())
    // Removes service principals, because they have these names in every partition.
    const text = JSON.stringify(stacks).replace(/"(Service|Principal)":"[a-z0-9.-]+\.amazonaws\.com"/g, '')
    expect(text.match(/[a-z0-9.-]*amazonaws\.com[a-z.]*/g)).toBeNull()
    expect(text.match(/"arn:aws[a-z-]*:[^"]*/g)).toBeNull()
  })
})

it('sets every feature flag that this version of the CDK recommends', () => {
  const partitions = '@aws-cdk/core:target-partitions'
  expect(featureFlags).toMatchObject({
    ...CURRENTLY_RECOMMENDED_FLAGS,
    [partitions]: expect.arrayContaining(CURRENTLY_RECOMMENDED_FLAGS[partitions] as string[]),
  })
})

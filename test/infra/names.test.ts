import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { featureFlags } from '#infra/feature-flags.ts'
import { templatesOf } from '#test/support/service/templates.ts'

const some = async () => (await loadOperations()).filter(({ operation }) => operation.path.startsWith('/groups'))

/** The properties that name something within an account and region; two installs must not spell the same. */
const naming =
  /^(BackupPlanName|BackupVaultName|BucketName|DashboardName|FunctionName|GroupName|LogGroupName|RoleName|MetricNamespace|TableName|TopicName|AlarmName)$/

function* spelledNames(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    if (typeof item === 'string' && naming.test(name)) yield item
    else yield* spelledNames(item)
  }
}

describe('several installs in one account and region', () => {
  const backupVaultArn = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:elsewhere'

  it('share no name of a stack, and none that is spelled out', async () => {
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

  it('share none either when they are told the same prefix', async () => {
    const [one, other] = await Promise.all(
      ['One', 'Two'].map(async (stackName) => templatesOf(await some(), { backupVaultArn, stackName, prefix: 'corp' })),
    )
    const names = [...spelledNames(one?.resources)]
    expect([...spelledNames(other?.resources)].filter((name) => names.includes(name))).toEqual([])
    const [mailer] = one?.all('AWS::Lambda::Function').filter(({ Properties }) => Properties.FunctionName) ?? []
    expect(JSON.stringify(mailer?.Properties.FunctionName)).toContain('AWS::StackId')
  })

  it('make nothing else of another name: the resources of both are the same', async () => {
    const [one, other] = await Promise.all([
      templatesOf(await some()),
      templatesOf(await some(), { stackName: 'Other' }),
    ])
    // What lets a rule invoke its function is called after the rule, with the stack's name; a version after the settings of
    // its function, which tell the service's name. Both can be made anew.
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
  ])('begin the names that are spelled out: %j → %s', async (context, prefix) => {
    const apis = (await templatesOf([], context)).all('AWS::ApiGatewayV2::Api')
    const names = apis.map(({ Properties: { Body, Name } }) => Name ?? Body.info.title)
    expect(names.sort()).toEqual([prefix, `${prefix}-live`])
  })

  it.each([
    [{ stackName: '1st' }, 'stackName must be a letter'],
    [{ stackName: 'a_b' }, 'stackName must be a letter'],
    [{ prefix: 'Corp' }, 'prefix must be a small letter'],
    [{ keepData: 'no' }, 'keepData must be true or false'],
    [{ tableStreamArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/t' }, 'must be the ARN of the stream of a table'],
    [{ flowStreamArn: 'flows' }, 'flowStreamArn must be the ARN of a Kinesis stream'],
    [{ failuresBucket: 's3://bucket' }, 'failuresBucket must be the name of a bucket'],
    [{ secretKeyArn: 'alias/secrets' }, 'secretKeyArn must be the ARN of a key'],
    [{ sealBucket: 'Sealed Logs' }, 'sealBucket must be the name of a bucket'],
    [{ sealKeyArn: 'alias/seal' }, 'sealKeyArn must be the ARN of a key'],
    [{ backupVaultArn: 'vault' }, 'backupVaultArn must be the ARN of a backup vault'],
    [{ backupDays: 0 }, 'backupDays must be an integer from 1 to 36500'],
  ])('refuse %j', async (context, message) => {
    await expect(templatesOf([], context)).rejects.toThrow(message)
  })
})

describe('any partition', () => {
  it('has no host and no ARN of another one spelled out', async () => {
    const { stacks } = await templatesOf(await some())
    // A service is called by this name in every partition.
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

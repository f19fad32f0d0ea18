import { beforeAll, describe, expect, it, vi } from 'vitest'
import { synthesize } from '#infra/local/build/synthesize.ts'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'

const some = {
  flowStreamShards: '4',
  sealRetentionDays: '7',
  logRetentionDays: 7,
  flowRetentionDays: '9',
  archiveTierDays: '9',
}
const others = { flowStreamShards: 'on-demand', sealRetentionDays: '0' }

let templates: Templates
beforeAll(async () => {
  templates = await templatesOf([])
})

const only = (type: string, name = /./, from = templates) => {
  const found = from.entries(type).filter(([id]) => name.test(id))
  expect(found).toHaveLength(1)
  return found[0] as (typeof found)[number]
}

it('never renames resources with data, because a new name creates an empty resource', () => {
  expect([
    only('AWS::DynamoDB::GlobalTable')[0],
    only('AWS::Kinesis::Stream')[0],
    only('AWS::S3::Bucket', /Failures/)[0],
    only('AWS::S3::Bucket', /Sealed/)[0],
    only('AWS::S3::Bucket', /Archive/)[0],
    only('AWS::KMS::Key', /SealKey/)[0],
    only('AWS::SecretsManager::Secret')[0],
    only('AWS::KMS::Key', /SecretKey/)[0],
  ]).toEqual([
    'StorageTableB43FDCE7',
    'StorageFlows6F50AA64',
    'StorageFailures3FF38EE5',
    'StorageSealed75A88AFC',
    'StorageArchiveEF4C9845',
    'StorageSealKeyD9DED087',
    'StorageSigningSecret5C9E2586',
    'StorageSecretKey71433BCC',
  ])
})

describe('the table', () => {
  it('has pk and sk as its key, on-demand billing, ttl as TTL, and a stream of both images', () => {
    expect(only('AWS::DynamoDB::GlobalTable')[1].Properties).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    })
  })

  it('is encrypted, has point-in-time recovery, and is retained', () => {
    const [, { Properties, DeletionPolicy }] = only('AWS::DynamoDB::GlobalTable')
    expect(DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' })
    expect(Properties.Replicas).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: expect.objectContaining({ PointInTimeRecoveryEnabled: true }),
      }),
    ])
  })
})

describe('the flow stream', () => {
  it('has one encrypted shard and retains records for a day', () => {
    expect(only('AWS::Kinesis::Stream')[1].Properties).toMatchObject({
      ShardCount: 1,
      StreamModeDetails: { StreamMode: 'PROVISIONED' },
      RetentionPeriodHours: 24,
      StreamEncryption: { EncryptionType: 'KMS' },
    })
  })

  it('has the configured number of shards, or scales on demand', async () => {
    const [more, scaling] = [await templatesOf([], some), await templatesOf([], others)]
    expect(only('AWS::Kinesis::Stream', /./, more)[1].Properties.ShardCount).toBe(4)
    const { ShardCount, StreamModeDetails } = only('AWS::Kinesis::Stream', /./, scaling)[1].Properties
    expect([ShardCount, StreamModeDetails]).toEqual([undefined, { StreamMode: 'ON_DEMAND' }])
  })
})

it('keeps failed batches private, encrypted and for a limited time', () => {
  const [, { Properties, DeletionPolicy }] = only('AWS::S3::Bucket', /Failures/)
  expect(DeletionPolicy).toBe('RetainExceptOnCreate')
  expect(Properties).toMatchObject({
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
    LifecycleConfiguration: { Rules: [expect.objectContaining({ ExpirationInDays: 90, Status: 'Enabled' })] },
  })
  expect(only('AWS::S3::BucketPolicy', /Failures/)[1].Properties.PolicyDocument.Statement).toContainEqual(
    expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
  )
})

describe('the sealed logs', () => {
  it('are in a private, versioned bucket with a lock of 800 days', () => {
    const [, { Properties, DeletionPolicy }] = only('AWS::S3::Bucket', /Sealed/)
    expect(DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(Properties).toMatchObject({
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
      VersioningConfiguration: { Status: 'Enabled' },
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 800 } } },
    })
  })

  it('are locked for the configured time, or not at all', async () => {
    const [short, none] = [await templatesOf([], some), await templatesOf([], others)]
    const trial = await templatesOf([], { keepData: 'false' })
    const lockOf = (from: Templates) => only('AWS::S3::Bucket', /Sealed/, from)[1].Properties.ObjectLockConfiguration
    expect(lockOf(short)).toMatchObject({ Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 407 } } })
    expect([none, trial].map((from) => lockOf(from)?.Rule)).toEqual([undefined, undefined])
    const days = (from: Templates) =>
      from
        .all('AWS::Lambda::Function')
        .filter(({ Properties }) => Properties.Handler === 'schedules/renew-locks.handler')
        .map(({ Properties }) => Properties.Environment.Variables.SEAL_LOCK_DAYS)
    expect([short, none, trial, templates].map(days)).toEqual([['407'], ['0'], ['0'], ['800']])
  })

  it('keep replaced versions no longer than their lock', async () => {
    const expiry = (from: Templates) =>
      only('AWS::S3::Bucket', /Sealed/, from)[1].Properties.LifecycleConfiguration.Rules[0].NoncurrentVersionExpiration
        .NoncurrentDays
    expect([templates, await templatesOf([], some), await templatesOf([], others)].map(expiry)).toEqual([800, 407, 7])
  })

  it('need no lock for the log of a trial, which has none', async () => {
    const trial = await templatesOf([], { keepData: 'false', logRetentionDays: '2557', archiveRetentionDays: '2557' })
    expect(only('AWS::S3::Bucket', /Sealed/, trial)[1].Properties.ObjectLockConfiguration?.Rule).toBeUndefined()
  })

  it('are signed by an Ed25519 key that only one role may use', () => {
    const [, { Properties, DeletionPolicy }] = only('AWS::KMS::Key', /SealKey/)
    expect(DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(Properties).toMatchObject({ KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' })
    const signing = Properties.KeyPolicy.Statement.filter(({ Action }: { Action: string | string[] }) =>
      [Action].flat().some((action) => /^kms:(Sign|\*|S\*)$/.test(action)),
    )
    expect(signing).toHaveLength(1)
    // Includes the hyphen, because a role of another deployment, such as NetworkAccessTest, must not match.
    expect(JSON.stringify(signing[0].Condition)).toContain('role/NetworkAccess-RolesSeal*')
  })
})

describe('archived logs', () => {
  const bucketOf = (from: Templates) => only('AWS::S3::Bucket', /Archive/, from)[1]
  const rulesOf = (from: Templates) => bucketOf(from).Properties.LifecycleConfiguration.Rules

  it('are in a private, versioned bucket without a lock, so that an erasure can delete versions', () => {
    const { Properties, DeletionPolicy } = bucketOf(templates)
    expect(DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(Properties).toMatchObject({
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
      VersioningConfiguration: { Status: 'Enabled' },
    })
    expect(Properties.ObjectLockEnabled).toBeUndefined()
    expect(only('AWS::S3::BucketPolicy', /Archive/)[1].Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    )
  })

  it('are deleted after their retention, and replaced versions after a week', async () => {
    const expiry = { Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 7 } }
    expect(rulesOf(templates)).toEqual([{ ...expiry, ExpirationInDays: 400 }])
    const chosen = await templatesOf([], { archiveRetentionDays: '2557' })
    expect(rulesOf(chosen)).toEqual([{ ...expiry, ExpirationInDays: 2557 }])
  })

  it('move to cheaper storage if a deployment requests it and they are large', async () => {
    expect(rulesOf(await templatesOf([], some))[1]).toEqual({
      Status: 'Enabled',
      ObjectSizeGreaterThan: 1_048_576,
      Transitions: [{ StorageClass: 'GLACIER_IR', TransitionInDays: 9 }],
    })
  })
})

it('allows the account to replicate the key of stored secrets to another region, but not to decrypt', () => {
  const { KeyPolicy, MultiRegion, EnableKeyRotation } = only('AWS::KMS::Key', /SecretKey/)[1].Properties
  expect([MultiRegion, EnableKeyRotation]).toEqual([true, true])
  const [administration, ...uses] = KeyPolicy.Statement
  expect(administration.Action).toContain('kms:ReplicateKey')
  expect(administration.Action.filter((action: string) => /crypt|DataKey|Grant|\*$/.test(action))).toEqual(
    administration.Action.filter((action: string) =>
      /^kms:(Describe|Disable|Enable|Get|List|Put|Update)\*$/.test(action),
    ),
  )
  const used = uses.map(({ Action, Condition }: Record<string, unknown>) => [Action, JSON.stringify(Condition)])
  expect(used).toEqual([
    ['kms:GenerateDataKey', expect.stringMatching(/RolesWriter\*/)],
    ['kms:Decrypt', expect.stringMatching(/RolesCallback\*.*RolesSync\*/)],
  ])
})

it('generates and retains the signing secret', () => {
  const [, { Properties, DeletionPolicy }] = only('AWS::SecretsManager::Secret')
  expect(DeletionPolicy).toBe('RetainExceptOnCreate')
  expect(Properties.GenerateSecretString).toMatchObject({ PasswordLength: 64 })
  expect(Properties.SecretString).toBeUndefined()
})

it('limits the retention of every log group', () => {
  const groups = templates.all('AWS::Logs::LogGroup')
  expect(groups).toHaveLength(2)
  for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(90)
})

it.each(['0', '-1', '1.5', 'many'])('refuses %s days of retention', async (logRetentionDays) => {
  await expect(templatesOf([], { logRetentionDays })).rejects.toThrow('must be an integer from 1 to 36500')
})

it('passes a retention other than the default to every function', async () => {
  const chosen = await templatesOf([], some)
  const variables = (of: Templates) =>
    of.all('AWS::Lambda::Function').flatMap(({ Properties }) => {
      const { Variables } = (Properties.Environment ?? {}) as { Variables?: Record<string, string> }
      return Variables?.TABLE_NAME ? [[Variables.LOG_RETENTION_DAYS, Variables.FLOW_RETENTION_DAYS]] : []
    })
  expect(variables(chosen).length).toBeGreaterThan(0)
  expect(new Set(variables(chosen).map(String))).toEqual(new Set(['7,9']))
  expect(new Set(variables(await templatesOf([])).map(String))).toEqual(new Set([',']))
})

it('reads the local retention from environment variables', async () => {
  vi.stubEnv('LOG_RETENTION_DAYS', '7')
  vi.stubEnv('FLOW_RETENTION_DAYS', '9')
  try {
    const { environment } = await synthesize([])
    expect(environment).toMatchObject({ LOG_RETENTION_DAYS: '7', FLOW_RETENTION_DAYS: '9' })
  } finally {
    vi.unstubAllEnvs()
  }
})

describe('the key of the sealed logs', () => {
  it('signs with Ed25519 and is multi-region, which cannot be changed later', () => {
    expect(only('AWS::KMS::Key', /SealKey/)[1].Properties).toMatchObject({
      KeySpec: 'ECC_NIST_EDWARDS25519',
      KeyUsage: 'SIGN_VERIFY',
      MultiRegion: true,
    })
  })

  it('is replicated only after a change of its policy', () => {
    const { Statement } = only('AWS::KMS::Key', /SealKey/)[1].Properties.KeyPolicy
    const actions: string[] = Statement.flatMap(({ Action }: { Action: string | string[] }) => Action)
    expect(actions).toContain('kms:Put*')
    expect(actions.filter((action) => /^kms:(\*|Rep|Synch|Create\*|CreateGrant)/.test(action))).toEqual([])
  })
})

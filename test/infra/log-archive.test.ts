import { readFileSync } from 'node:fs'
import { App } from 'aws-cdk-lib'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSettings, settingGroups } from '#infra/settings/settings.ts'
import { archive, archiveTemplate, evaluatePolicy, service } from '#test/support/service/archive-template.ts'
import { type Call, evaluate, type ResourceStatement } from '#test/support/service/iam.ts'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'

const { Resources, Outputs } = archiveTemplate()
const output = (name: string) => Outputs[name]?.Value ?? ''
const settings = {
  sealBucket: output('sealBucket'),
  sealKeyArn: output('sealKeyArn'),
  logDestinationArn: `arn:aws:logs:eu-central-1:${archive}:destination:network-access-logs`,
  dataEventsBucket: output('dataEventsBucket'),
  backupVaultArn: `arn:aws:backup:eu-central-1:${archive}:backup-vault:network-access-copies`,
}

const policies: Record<string, ResourceStatement[]> = {
  seals: Resources.SealBucketPolicy.Properties.PolicyDocument.Statement,
  key: Resources.SealKey.Properties.KeyPolicy.Statement,
  events: Resources.DataEventsPolicy.Properties.PolicyDocument.Statement,
  logs: Resources.LogsPolicy.Properties.PolicyDocument.Statement,
  vault: Resources.Vault.Properties.AccessPolicy.Statement,
  destination: JSON.parse(Resources.LogDestination.Properties.DestinationPolicy).Statement,
}

const [bucketArn, keyArn] = ['arn:aws:s3:::sealbucket', settings.sealKeyArn]
const object = `${bucketArn}/a/changes/checkpoint`

describe('the sealed log in another account', () => {
  let adopting: Templates
  beforeAll(async () => {
    adopting = await templatesOf([], settings)
  })

  const actionsOf = (): Map<string, { action: string; resource: string }[]> =>
    new Map(
      adopting.entries('AWS::IAM::Policy').map(([id, { Properties }]) => {
        const allowed = Properties.PolicyDocument.Statement.flatMap(
          ({ Effect, Action, Resource }: { Effect: string; Action: string | string[]; Resource: unknown }) => {
            const text = JSON.stringify(Resource)
            if (Effect !== 'Allow' || !/sealbucket|key\/SealKey/.test(text)) return []
            const resource = text.includes('key/SealKey') ? keyArn : text.includes('sealbucket/*') ? object : bucketArn
            return [Action].flat().map((action) => ({ action, resource }))
          },
        )
        return [/Roles([A-Z][A-Za-z]+?)DefaultPolicy/.exec(id)?.[1] ?? id, allowed]
      }),
    )

  const call = (role: string, action: string, resource: string): Call => ({
    action,
    resource,
    context: {
      'aws:PrincipalArn': `arn:aws:iam::${service}:role/NetworkAccess-Roles${role}AB12CD34-Abcdef123456`,
      'aws:SecureTransport': 'true',
    },
  })
  const policyOf = (resource: string) => (resource === keyArn ? policies.key : policies.seals) as ResourceStatement[]

  it('allows each role of the service exactly its own actions', () => {
    const done = new Map([...actionsOf()].filter(([, actions]) => actions.length > 0))
    expect([...done.keys()].sort()).toEqual(['PublicKey', 'ReaderOfLogs', 'RenewLocks', 'Seal'])
    const all = [...done.values()].flat()
    expect(all.length).toBeGreaterThan(8)
    for (const role of [...done.keys(), 'Writer', 'Verify', 'DeleteAccounts']) {
      for (const { action, resource } of all) {
        const mine = done.get(role)?.some((one) => one.action === action && one.resource === resource) ?? false
        const decision = evaluatePolicy(policyOf(resource), service, call(role, action, resource))
        expect(decision, `${role} ${action}`).toBe(mine ? 'allowed' : 'implicitly denied')
      }
    }
  })

  it("cannot be deleted or reconfigured by any principal of the service's account", () => {
    for (const role of ['Seal', 'RenewLocks', 'Administrator']) {
      for (const action of ['DeleteObject', 'DeleteObjectVersion', 'BypassGovernanceRetention', 'PutObjectLegalHold'])
        expect(evaluatePolicy(policyOf(object), service, call(role, `s3:${action}`, object)), action).toBe(
          'implicitly denied',
        )
      for (const action of [
        'PutBucketPolicy',
        'PutBucketObjectLockConfiguration',
        'PutLifecycleConfiguration',
        'DeleteBucket',
      ])
        expect(evaluatePolicy(policyOf(object), service, call(role, `s3:${action}`, bucketArn)), action).toBe(
          'implicitly denied',
        )
      for (const action of ['ScheduleKeyDeletion', 'DisableKey', 'PutKeyPolicy', 'CreateGrant', 'ReplicateKey'])
        expect(evaluatePolicy(policyOf(keyArn), service, call(role, `kms:${action}`, keyArn)), action).toBe(
          'implicitly denied',
        )
    }
  })

  it('is accessible only through TLS, and to no role of a third account', () => {
    const plain = call('Seal', 's3:PutObject', object)
    plain.context['aws:SecureTransport'] = 'false'
    expect(evaluatePolicy(policyOf(object), service, plain)).toBe('explicitly denied')
    expect(evaluatePolicy(policyOf(object), '999999999999', call('Seal', 's3:PutObject', object))).toBe(
      'implicitly denied',
    )
    expect(evaluatePolicy(policyOf(keyArn), '999999999999', call('Seal', 'kms:Sign', keyArn))).toBe('implicitly denied')
  })

  it("can be neither signed nor written by another deployment in the service's account", () => {
    for (const stack of ['NetworkAccessTest', 'NetworkAccess2']) {
      for (const [action, resource] of [
        ['kms:Sign', keyArn],
        ['s3:PutObject', object],
        ['s3:PutObjectRetention', object],
      ] as const) {
        for (const role of ['Seal', 'RenewLocks']) {
          const other = call(role, action, resource)
          other.context['aws:PrincipalArn'] = `arn:aws:iam::${service}:role/${stack}-Roles${role}AB12CD34-Abcdef123456`
          expect(evaluatePolicy(policyOf(resource), service, other), `${stack} ${action}`).toBe('implicitly denied')
        }
      }
    }
  })

  it('cannot be signed by principals of its own account', () => {
    for (const role of ['Administrator', 'Seal'])
      expect(evaluatePolicy(policyOf(keyArn), archive, call(role, 'kms:Sign', keyArn))).toBe('implicitly denied')
    expect(evaluatePolicy(policyOf(keyArn), archive, call('Administrator', 'kms:PutKeyPolicy', keyArn))).toBe('allowed')
  })

  it("has the same key settings as in the service's account, and a bucket that the renewal of locks accepts", async () => {
    const templates = await templatesOf([])
    const own = templates.all('AWS::KMS::Key').find(({ Properties }) => Properties.KeySpec)?.Properties
    const { KeySpec, KeyUsage, MultiRegion } = Resources.SealKey.Properties
    expect({ KeySpec, KeyUsage, MultiRegion }).toEqual({
      KeySpec: own?.KeySpec,
      KeyUsage: own?.KeyUsage,
      MultiRegion: true,
    })
    const { Mode, Days } = Resources.SealBucket.Properties.ObjectLockConfiguration.Rule.DefaultRetention
    const [renewal] = templates
      .all('AWS::Lambda::Function')
      .filter(({ Properties }) => Properties.Handler === 'schedules/renew-locks.handler')
    const needed = Number(renewal?.Properties.Environment.Variables.SEAL_LOCK_DAYS)
    expect([Mode, Days, Resources.SealBucket.Properties.ObjectLockEnabled]).toEqual(['COMPLIANCE', needed, true])
  })
})

describe('log lines', () => {
  it('of both log groups are sent to the destination, and to no other subscription', async () => {
    const templates = await templatesOf([], { logDestinationArn: settings.logDestinationArn })
    const filters = templates.all('AWS::Logs::SubscriptionFilter').map(({ Properties }) => Properties)
    expect(filters.map(({ DestinationArn, FilterPattern }) => [DestinationArn, FilterPattern])).toEqual([
      [settings.logDestinationArn, ''],
      [settings.logDestinationArn, ''],
    ])
    const groups = templates.entries('AWS::Logs::LogGroup').filter(([id]) => /FunctionLogs|AccessLogs/.test(id))
    expect(new Set(filters.map(({ LogGroupName }) => JSON.stringify(LogGroupName))).size).toBe(groups.length)
    expect((await templatesOf([])).all('AWS::Logs::SubscriptionFilter')).toEqual([])
  })

  it("accept subscriptions only from the service's account", () => {
    const subscribe = { action: 'logs:PutSubscriptionFilter', resource: settings.logDestinationArn, context: {} }
    expect(evaluatePolicy(policies.destination as ResourceStatement[], service, subscribe)).toBe('allowed')
    expect(evaluatePolicy(policies.destination as ResourceStatement[], '999999999999', subscribe)).toBe(
      'implicitly denied',
    )
  })
})

describe('data events', () => {
  let trail: Record<string, unknown> & { TrailName: { 'Fn::Join': [string, string[]] } }
  let templates: Templates
  const selected: Record<string, Record<string, unknown>> = {}
  let ofArchivedLogs: Record<string, unknown> = {}
  beforeAll(async () => {
    templates = await templatesOf([], { dataEventsBucket: 'archived-events' })
    trail = templates.all('AWS::CloudTrail::Trail')[0]?.Properties as typeof trail
    for (const { FieldSelectors } of trail.AdvancedEventSelectors as { FieldSelectors: { Field: string }[] }[]) {
      const fields = Object.fromEntries(FieldSelectors.map(({ Field, ...values }) => [Field, Object.values(values)[0]]))
      if (JSON.stringify(fields).includes('StorageArchive')) ofArchivedLogs = fields
      else selected[String(fields['resources.type'])] = fields
    }
  })

  it('are recorded for the sealed objects, for each task, and for writes to the table by other principals', async () => {
    expect((await templatesOf([])).all('AWS::CloudTrail::Trail')).toEqual([])
    expect(trail).toMatchObject({ IsLogging: true, EnableLogFileValidation: true, S3BucketName: 'archived-events' })
    expect(Object.keys(selected).sort()).toEqual(['AWS::DynamoDB::Table', 'AWS::Lambda::Function', 'AWS::S3::Object'])
    expect(JSON.stringify(selected['AWS::S3::Object']?.['resources.ARN'])).toMatch(/StorageSealed.*"\/"/)
    const tasks = templates
      .entries('AWS::Lambda::Function')
      .filter(([, { Properties }]) => String(Properties.Handler).startsWith('tasks/'))
      .map(([id]) => ({ 'Fn::GetAtt': [id, 'Arn'] }))
    const recorded = selected['AWS::Lambda::Function']?.['resources.ARN'] as object[]
    for (const task of tasks.filter(({ 'Fn::GetAtt': [id] }) => /^(Tasks|Provision)/.test(String(id))))
      expect(recorded).toContainEqual(task)
    const table = selected['AWS::DynamoDB::Table']
    expect(table?.readOnly).toEqual(['false'])
    expect(Object.keys(table?.['userIdentity.arn'] ?? {}).length).toBe(
      templates.entries('AWS::IAM::Role').filter(([id]) => id.startsWith('Roles')).length,
    )
    expect(JSON.stringify(table?.['userIdentity.arn'])).toMatch(/:assumed-role\/"?,?.*RolesWriter/)
  })

  it('are recorded for archived logs that other principals use', () => {
    expect(ofArchivedLogs['resources.type']).toEqual(['AWS::S3::Object'])
    expect(JSON.stringify(ofArchivedLogs['resources.ARN'])).toMatch(/StorageArchive.*"\/"/)
    expect(ofArchivedLogs.readOnly).toBeUndefined()
    expect(ofArchivedLogs['userIdentity.arn']).toEqual(selected['AWS::DynamoDB::Table']?.['userIdentity.arn'])
  })

  it("are written to the archive's bucket only by the service's trail", () => {
    const write = (name: string, account: string): Call => ({
      action: 's3:PutObject',
      resource: `arn:aws:s3:::dataevents/AWSLogs/${service}/CloudTrail/eu-central-1/2026/11/23/a.json.gz`,
      context: {
        'aws:SourceArn': `arn:aws:cloudtrail:eu-central-1:${account}:trail/${name}`,
        's3:x-amz-acl': 'bucket-owner-full-control',
        'aws:SecureTransport': 'true',
      },
    })
    const statements = policies.events as ResourceStatement[]
    const name = trail.TrailName['Fn::Join'][1][0] ?? ''
    expect(name).toBe('network-access-data-events-')
    expect(evaluatePolicy(statements, 'cloudtrail.amazonaws.com', write(`${name}0a1b2c3d`, service))).toBe('allowed')
    expect(evaluatePolicy(statements, 'cloudtrail.amazonaws.com', write('other', service))).toBe('implicitly denied')
    const check = (account: string) => ({
      ...write(account === service ? `${name}0a1b2c3d` : name, account),
      action: 's3:GetBucketAcl',
      resource: 'arn:aws:s3:::dataevents',
    })
    expect(evaluatePolicy(statements, 'cloudtrail.amazonaws.com', check(service))).toBe('allowed')
    expect(evaluatePolicy(statements, 'cloudtrail.amazonaws.com', check('999999999999'))).toBe('implicitly denied')
    const others = { ...write('other', service), action: 's3:GetBucketAcl', resource: 'arn:aws:s3:::dataevents' }
    expect(evaluatePolicy(statements, 'cloudtrail.amazonaws.com', others)).toBe('implicitly denied')
    expect(evaluatePolicy(statements, 'cloudtrail.amazonaws.com', write(`${name}0a1b2c3d`, '999999999999'))).toBe(
      'implicitly denied',
    )
    expect(evaluatePolicy(statements, service, write(`${name}0a1b2c3d`, service))).toBe('implicitly denied')
  })
})

describe('backups', () => {
  const vaultOf = async (context: Record<string, unknown>) =>
    (await templatesOf([], { backupVaultArn: settings.backupVaultArn, ...context })).all('AWS::Backup::BackupVault')[0]
      ?.Properties

  it('are locked for their retention if the deployment requests it', async () => {
    expect((await vaultOf({}))?.LockConfiguration).toBeUndefined()
    expect((await vaultOf({ backupLock: 'governance', backupDays: 60 }))?.LockConfiguration).toEqual({
      MinRetentionDays: 60,
    })
    expect((await vaultOf({ backupLock: 'compliance' }))?.LockConfiguration).toEqual({
      MinRetentionDays: 35,
      ChangeableForDays: 7,
    })
  })

  it("are encrypted with the deployment's key if there is one", async () => {
    expect((await vaultOf({}))?.EncryptionKeyArn).toBeUndefined()
    expect(JSON.stringify((await vaultOf({ encryptionKey: 'own' }))?.EncryptionKeyArn)).toContain('StorageKey')
    const key = 'arn:aws:kms:eu-central-1:123456789012:key/0f0e0d0c-0b0a-4009-8807-060504030201'
    expect((await vaultOf({ encryptionKey: key }))?.EncryptionKeyArn).toBe(key)
  })

  it("are copied into the archive's vault only by the service's account, and cannot be deleted", () => {
    const statements = policies.vault as ResourceStatement[]
    const copy = { action: 'backup:CopyIntoBackupVault', resource: '*', context: {} }
    expect(evaluatePolicy(statements, service, copy)).toBe('allowed')
    expect(evaluatePolicy(statements, '999999999999', copy)).toBe('implicitly denied')
    expect(evaluatePolicy(statements, service, { ...copy, action: 'backup:DeleteRecoveryPoint' })).toBe(
      'implicitly denied',
    )
    expect(Resources.Vault.Properties).toMatchObject({
      EncryptionKeyArn: expect.stringContaining('VaultKey'),
      // Expects a maximum retention. Without it, a copy could have an unlimited retention and never be deleted.
      LockConfiguration: { MinRetentionDays: 35, MaxRetentionDays: 400, ChangeableForDays: 7 },
    })
  })
})

it("is readable but not writable with the auditor's policy from the documentation", () => {
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync('docs/log-archive.md', 'utf8')) ?? []
  const { Statement } = JSON.parse(text.replaceAll('<sealBucket>', settings.sealBucket))
  const may = (action: string, resource: string) => evaluate(Statement, { action, resource, context: {} })
  for (const action of ['GetObject', 'GetObjectVersion', 'GetObjectRetention'])
    expect(may(`s3:${action}`, object), action).toBe('allowed')
  for (const action of ['ListBucket', 'ListBucketVersions', 'GetBucketObjectLockConfiguration'])
    expect(may(`s3:${action}`, bucketArn), action).toBe('allowed')
  for (const action of ['PutObject', 'DeleteObject', 'PutObjectRetention', 'BypassGovernanceRetention'])
    expect(may(`s3:${action}`, object), action).toBe('implicitly denied')
})

describe('the template of the archive', () => {
  it('has an output named after each setting of the service', () => {
    const known = Object.values(settingGroups).flatMap((group) => Object.keys(group))
    expect(Object.keys(Outputs).filter((name) => !known.includes(name))).toEqual([])
    expect(Object.keys(Outputs).sort()).toEqual(Object.keys(settings).sort())
  })

  it('retains resources with data when its stack is deleted', () => {
    const kept = Object.entries(Resources).filter(([, { Type }]) => /Bucket$|Key$|Vault$/.test(Type))
    expect(kept).toHaveLength(6)
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of kept)
      expect([DeletionPolicy, UpdateReplacePolicy], id).toEqual(['RetainExceptOnCreate', 'Retain'])
  })

  it('is not public', () => {
    for (const [id, { Type, Properties }] of Object.entries(Resources)) {
      if (Type !== 'AWS::S3::Bucket') continue
      expect(Object.values(Properties.PublicAccessBlockConfiguration), id).toEqual([true, true, true, true])
      expect(Properties.OwnershipControls.Rules, id).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }])
    }
  })
})

it.each([
  [{ backupLock: 'on' }, 'The setting backupLock must be one of governance, compliance.'],
  [{ backupLock: 'governance' }, 'The setting backupLock must be set together with backupVaultArn.'],
  [
    { backupLock: 'governance', backupVaultArn: settings.backupVaultArn, keepData: 'false' },
    'The setting backupLock must be left out when keepData=false.',
  ],
  [{ logDestinationArn: 'logs' }, 'The setting logDestinationArn must be the ARN of a log destination.'],
  [
    { sealKeyArn: keyArn, logDestinationArn: settings.logDestinationArn.replace('eu-central-1', 'eu-west-1') },
    'The setting logDestinationArn must be in the region of sealKeyArn, which must be the region of the service.',
  ],
  [{ dataEventsBucket: 'Events!' }, 'The setting dataEventsBucket must be the name of an S3 bucket.'],
])('refuses %j', (context, message) => {
  expect(() => readSettings(new App({ context }))).toThrow(message)
})

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { lockRenewalKey } from '#shared/seal/log/sealed-log.ts'
import { loadEntities } from '#test/support/operations/entities.ts'
import type { DeployedRights } from '#test/support/service/deployed-rights.ts'
import { account, callTo, type DeployedRole, deployedRoles, onTable } from '#test/support/service/deployed-roles.ts'
import { evaluate } from '#test/support/service/iam.ts'
import type { RecordedCall, Target } from '#test/support/service/recorded-calls.ts'

let rights: DeployedRights
let roles: DeployedRole[]
let decide: Awaited<ReturnType<typeof deployedRoles>>['decide']
let allowed: Awaited<ReturnType<typeof deployedRoles>>['allowed']

beforeAll(async () => {
  ;({ rights, roles, decide, allowed } = await deployedRoles())
})

it("fits the maximum of a role's policy, 10,240 characters, with a reserve for longer names", () => {
  for (const { name, statements } of roles) expect(JSON.stringify(statements).length, name).toBeLessThan(8_000)
})

describe('a read of the account API', () => {
  it('writes only the log entry of its request, last use and rate', async () => {
    const keys = [
      ...(await loadEntities()).keys(),
      'version',
      'commits',
      'idempotency#x',
      'presence.clients',
      'unique.x#y',
    ]
    for (const key of keys) {
      for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete']) {
        expect(allowed(onTable(action, key)), `${action} ${key}`).not.toContain('Reader')
      }
    }
    for (const key of ['presence.api_tokens', 'presence.actors', 'rate.account']) {
      expect(allowed(onTable('UpdateItem', key))).toContain('Reader')
    }
  })
})

const streams = ['change', 'session', 'api_request']
const entries = [
  ...streams.flatMap((stream) => [
    `log.${stream}#2026-11-22`,
    `log.${stream}.actor#${randomUUID()}`,
    `log.${stream}.email#ada@example.com`,
  ]),
  `log.change.object#${randomUUID()}`,
]
const rewrites = ['UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLUpdate', 'PartiQLDelete']
const deletions = ['DeleteItem', 'PartiQLDelete']
const committing = [
  'Client',
  'Expire',
  'FollowUp',
  'Gateway',
  'MailSyncErrors',
  'Provision',
  'SignIn',
  'Sync',
  'Writer',
]

describe('the audit trail', () => {
  it.each(['commits', ...entries])('%s is never updated, and deleted only with its account', (key) => {
    for (const action of rewrites) {
      const by = deletions.includes(action) ? ['DeleteAccounts'] : []
      for (const keys of [[key], ['groups', key], [key, 'rate.account', `presence.actors`]]) {
        const call = onTable(action, ...keys)
        expect(allowed(call), `${action} ${keys}`).toEqual(by)
        for (const role of roles.filter(({ name }) => !by.includes(name))) {
          expect(decide(role, call), `${role.name} ${action} ${keys}`).toBe('explicitly denied')
        }
      }
    }
  })

  it.each(entries)('%s is put only by roles that start sessions, and inserted only by its writer', (key) => {
    const put = key.startsWith('log.session') ? ['Client', 'Gateway', 'SignIn'] : []
    expect(allowed(onTable('PutItem', key))).toEqual(put)
    for (const role of roles.filter(({ name }) => !put.includes(name))) {
      expect(decide(role, onTable('PutItem', key)), role.name).toBe('explicitly denied')
    }
    const writers: Record<string, string[]> = {
      change: ['WriteChangeLog'],
      session: [],
      api_request: ['Reader', 'ReaderOfLogs', 'ReaderOfSessions', 'SecretReader', 'Writer'],
    }
    expect(allowed(onTable('PartiQLInsert', key))).toEqual(writers[/^log\.(\w+)/.exec(key)?.[1] ?? ''])
  })

  it('accepts commit records only from roles that commit', () => {
    expect(allowed(onTable('PutItem', 'commits'))).toEqual(committing)
    expect(allowed(onTable('PartiQLInsert', 'commits'))).toEqual([])
  })

  const service = (action: string, ...keys: string[]): RecordedCall => ({
    ...onTable(action),
    context: { 'dynamodb:LeadingKeys': keys },
  })

  it.each([`${account}#accounts`, 'service#due.accounts'])(
    'ends with an account only on a request of provisioning: %s',
    (key) => {
      for (const action of [...rewrites, 'PutItem', 'PartiQLInsert']) {
        for (const keys of [[key], [`${account}#groups`, key], [key, 'service#due#0']]) {
          const call = service(action, ...keys)
          for (const name of allowed(call)) expect(['DeleteAccounts', 'Provision'], `${action} ${keys}`).toContain(name)
          for (const role of roles.filter(({ name }) => !['DeleteAccounts', 'Provision'].includes(name)))
            expect(decide(role, call), `${role.name} ${action} ${keys}`).toBe('explicitly denied')
        }
      }
    },
  )

  it.each(['seal.changes', 'seal.activity', 'seal.hour#session#2026-11-22T08'])(
    'is proven by items that only the sealing role writes: %s',
    (key) => {
      for (const action of [...rewrites, 'PutItem', 'PartiQLInsert']) {
        const by = { PutItem: ['Seal'], UpdateItem: ['Seal'] }[action] ?? []
        expect(allowed(onTable(action, key)), action).toEqual(deletions.includes(action) ? ['DeleteAccounts'] : by)
      }
    },
  )

  it('does not lose accounts from the list of sealed ones', () => {
    for (const key of ['service#sealed', 'service#seal']) {
      for (const action of ['UpdateItem', 'BatchWriteItem', 'PartiQLUpdate'])
        expect(allowed(service(action, key)), action).toEqual([])
      expect(allowed(service('PutItem', key))).toEqual([])
      const by = key === 'service#sealed' ? ['DeleteAccounts', 'Seal'] : ['DeleteAccounts']
      expect(allowed(service('DeleteItem', key))).toEqual(by)
      expect(allowed(service('PartiQLDelete', key))).toEqual(['DeleteAccounts'])
    }
    expect(allowed(service('PartiQLInsert', 'service#sealed'))).toEqual(['WriteChangeLog'])
  })

  const flushed = ['log.flow.open', 'log.flow.file', 'log.flow.late', 'log.flow.count#actor', 'log.flow.count#port']
  const deleters = ['DeleteAccounts']
  const rewriters = ['Archive', 'EraseActor']

  it.each([
    ...flushed.map((key) => {
      const by = key === 'log.flow.count#actor' ? ['Archive', 'EraseActor'] : ['Archive']
      return { key: `${account}#${key}`, puts: by, inserts: [], updates: by }
    }),
    { key: `${account}#archive`, puts: rewriters, inserts: ['StoreFlowLogs'], updates: rewriters },
    { key: `${account}#log.flow.block#2026-11-22T08:05`, puts: [], inserts: ['StoreFlowLogs'], updates: [] },
  ])(
    'has archived flows written only by the flow consumer, the flush and the erasure: $key',
    ({ key, puts, inserts, updates }) => {
      const by: Record<string, string[]> = { PutItem: puts, PartiQLInsert: inserts, UpdateItem: updates }
      for (const action of [...rewrites, 'PutItem', 'PartiQLInsert']) {
        const able = deletions.includes(action) ? deleters : (by[action] ?? [])
        expect(allowed(service(action, key)), action).toEqual(able)
        const writers = [...able, ...rewriters]
        for (const role of roles.filter(({ name }) => !writers.includes(name)))
          expect(decide(role, service(action, key)), `${role.name} ${action}`).toBe('explicitly denied')
      }
    },
  )

  it.each(['names#0', 'names#7'])('is no part of the index of names, which only its consumer writes: %s', (key) => {
    const by: Record<string, string[]> = {
      PutItem: ['WriteChangeLog'],
      DeleteItem: ['DeleteAccounts', 'WriteChangeLog'],
      PartiQLDelete: ['DeleteAccounts'],
    }
    for (const action of [...rewrites, 'PutItem', 'PartiQLInsert'])
      for (const keys of [[key], [key, 'groups']])
        expect(allowed(onTable(action, ...keys)), `${action} ${keys}`).toEqual(
          keys.length > 1 ? (by[action] ?? []).filter((name) => name === 'DeleteAccounts') : (by[action] ?? []),
        )
    for (const action of ['GetItem', 'Query']) {
      const readers = allowed(onTable(action, key))
      expect(readers).toContain('Reader')
      for (const name of ['Client', 'Gateway', 'Live', 'Ingest', 'SignIn', 'Callback', 'SecretReader'])
        expect(readers, action).not.toContain(name)
    }
  })

  it('is read by the flush, which reads no secrets and no rows except accounts', async () => {
    const readable = [
      'commits',
      ...entries,
      'attribution',
      'seal.changes',
      'log.flow.block#x',
      'log.flow.open',
      'archive',
    ]
    for (const key of [...readable, ...flushed, 'accounts', 'version'])
      for (const action of ['GetItem', 'Query'])
        expect(allowed(onTable(action, key)), `${action} ${key}`).toContain('Archive')
    for (const key of [...(await loadEntities()).keys(), 'passcodes', 'sign_in.code', 'idempotency#x']) {
      if (key === 'accounts') continue
      for (const action of ['GetItem', 'Query', 'PutItem'])
        expect(allowed(onTable(action, key)), `${action} ${key}`).not.toContain('Archive')
    }
  })

  it('has its lock renewal progress written by one role, which writes nothing else', () => {
    const { pk } = lockRenewalKey
    for (const action of [...rewrites, 'PutItem', 'PartiQLInsert']) {
      const by = { PutItem: ['RenewLocks'], DeleteItem: ['DeleteAccounts'], PartiQLDelete: ['DeleteAccounts'] }[action]
      expect(allowed(service(action, pk)), action).toEqual(by ?? [])
      for (const key of ['service#sealed', 'service#seal', `${account}#seal.changes`, `${account}#groups`]) {
        expect(allowed(service(action, key)), `${action} ${key}`).not.toContain('RenewLocks')
        expect(allowed(service(action, pk, key)), `${action} ${key}`).not.toContain('RenewLocks')
      }
    }
  })

  it('denies no write to similar keys', () => {
    const values = ['#commits', 'log.change#2026-11-22', `${account}#commits`, 'commits']
    for (const value of values) {
      for (const key of [`groups.name#${value}`, `unique.groups.name#${value}`]) {
        for (const action of ['PutItem', 'UpdateItem', 'DeleteItem']) {
          expect(allowed(onTable(action, key)), `${action} ${key}`).toContain('Writer')
        }
      }
    }
  })
})

describe('devices', () => {
  const devices = ['Client', 'Gateway']

  it('are served by the role of their kind, which serves no other operation', async () => {
    const kinds: Record<string, string> = { client: 'Client', gateway: 'Gateway', ingest: 'Ingest' }
    for (const { file, operation } of await loadOperations()) {
      const role = rights.functions.get(file)?.role
      const kind = kinds[operation.credential ?? 'api']
      if (kind) expect(role, file).toBe(kind)
      else expect(Object.values(kinds), file).not.toContain(role)
    }
  })

  const writes = [
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'BatchWriteItem',
    'PartiQLInsert',
    'PartiQLUpdate',
    'PartiQLDelete',
  ]
  /** Collections with rows that devices change, each with the roles that make these changes. */
  const theirs: Record<string, string[]> = { clients: ['Client'], gateways: ['Gateway'], gateway_tokens: ['Gateway'] }

  it('change no row of an account except their own, and no index item of another', async () => {
    const collections = [...(await loadEntities()).keys(), 'memberships#x', 'static_device_pool_members#x', 'accounts']
    const hidden = ['', '#clients', '.name#clients', '.clients', `.x#${account}#clients`]
    expect(collections.length).toBeGreaterThan(20)
    for (const collection of collections) {
      for (const key of hidden.map((more) => collection + more)) {
        for (const action of writes) {
          const by = allowed(onTable(action, key)).filter((name) => devices.includes(name))
          const expected = ['', '.name#clients', '.clients', `.x#${account}#clients`].some(
            (more) => key === collection + more,
          )
            ? (theirs[collection] ?? [])
            : []
          expect(by, `${action} ${key}`).toEqual(writes.slice(0, 3).includes(action) ? expected : [])
        }
      }
    }
  })

  it.each(['authorizations#x', 'authorizations.policy#x', 'authorizations.client#x'])(
    'receive authorizations only from the role that serves clients: %s',
    (key) => {
      const by = (action: string) => allowed(onTable(action, key)).filter((name) => [...devices, 'Live'].includes(name))
      expect([by('PutItem'), by('UpdateItem'), by('DeleteItem')]).toEqual([
        ['Client'],
        ['Client'],
        ['Client', 'Gateway', 'Live'],
      ])
    },
  )

  it.each([
    'unique.groups.name#x',
    'unique.accounts#x',
    `idempotency#x`,
    'limits.mails',
    'presence.api_tokens',
    'rows',
  ])('write nothing to %s', (key) => {
    for (const action of writes) for (const name of devices) expect(allowed(onTable(action, key))).not.toContain(name)
  })

  it.each(['service#slug#x', 'service#due#0', 'service#due.accounts', 'service#limited'])(
    'write nothing to %s',
    (key) => {
      for (const action of writes) {
        const call = { ...onTable(action), context: { 'dynamodb:LeadingKeys': [key] } }
        for (const name of devices) expect(allowed(call)).not.toContain(name)
      }
    },
  )

  it.each([
    'oidc_auth_providers',
    'oidc_auth_providers.name#x',
    'suite_directories',
    'mdm_posture_providers',
    'api_tokens',
    'v0_users',
    'idempotency#x',
    'names#0',
    ...entries,
    'log.flow#2026-11-22#3',
  ])('read nothing of %s', (key) => {
    for (const action of ['GetItem', 'BatchGetItem', 'Query', 'PartiQLSelect', 'Scan', 'ConditionCheckItem']) {
      for (const keys of [[key], ['clients', key]]) {
        const by = allowed(onTable(action, ...(action === 'Scan' ? [] : keys)))
        for (const name of devices) expect(by, action).not.toContain(name)
      }
    }
  })

  /**
   * Collections that a decision reads, including the collections with the caller's rows. A new collection must be added here on purpose.
   */
  const read = [
    'accounts',
    'actors',
    'client_tokens',
    'clients',
    'gateway_tokens',
    'gateways',
    'groups',
    'memberships',
    'policies',
    'resources',
    'sites',
    'static_device_pool_members',
  ]
  it('read the rows that a decision about a device depends on, and no others', async () => {
    const readable = [...(await loadEntities()).keys()].filter((name) =>
      ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'].some((action) =>
        allowed(onTable(action, name)).some((role) => [...devices, 'Live'].includes(role)),
      ),
    )
    expect(readable.sort()).toEqual(read)
  })

  it.each(['sign_in.pending', 'sign_in.code', 'sync.chunks#x', 'sync.plans#x', 'sync.mails', 'limits.mails'])(
    'read nothing of %s',
    (key) => {
      for (const action of ['GetItem', 'BatchGetItem', 'Query'])
        for (const name of [...devices, 'Live']) expect(allowed(onTable(action, key)), action).not.toContain(name)
    },
  )

  it('read no commit over the live channel, whose role does not commit', () => {
    for (const action of ['GetItem', 'BatchGetItem', 'Query'])
      expect(allowed(onTable(action, 'commits')), action).not.toContain('Live')
  })

  it('report flows with a role that reads only the state of the account and its own rate', () => {
    for (const key of [
      'clients',
      'policies',
      'client_tokens',
      'authorizations#x',
      'log.flow#2026-11-22#3',
      'commits',
    ]) {
      for (const action of [...writes, 'GetItem', 'BatchGetItem', 'Query', 'Scan']) {
        expect(allowed(onTable(action, key)), action).not.toContain('Ingest')
      }
    }
  })
})

describe('restricted actions', () => {
  it.each([
    'DeleteTable',
    'UpdateTable',
    'UpdateTimeToLive',
    'UpdateContinuousBackups',
    'RestoreTableToPointInTime',
    'ExportTableToPointInTime',
    'ImportTable',
    'CreateBackup',
    'PutResourcePolicy',
    'DeleteResourcePolicy',
    'TagResource',
    'DisableKinesisStreamingDestination',
    'CreateTableReplica',
    'PartiQLSelect',
  ])('no role may %s', (action) => {
    expect(allowed(onTable(action))).toEqual([])
    expect(allowed(onTable(action, 'groups'))).toEqual([])
  })

  it('no role may write without naming a key', () => {
    for (const action of ['PutItem', 'UpdateItem', 'PartiQLInsert', 'PartiQLUpdate', 'BatchWriteItem']) {
      expect(allowed(onTable(action)), action).toEqual([])
    }
  })

  it.each<[string, Target, string[]]>([
    ['kinesis:PutRecords', 'flows', ['Ingest', 'Pulse']],
    ['kinesis:DeleteStream', 'flows', []],
    ['kinesis:DecreaseStreamRetentionPeriod', 'flows', []],
    ['s3:GetObject', 'sealed/a/changes/checkpoint', ['Seal']],
    ['s3:PutObject', 'sealed/a/changes/checkpoint', ['Seal']],
    ['s3:DeleteObject', 'sealed/a/changes/checkpoint', []],
    ['s3:PutObjectRetention', 'sealed/a/changes/checkpoint', ['RenewLocks']],
    ['s3:GetObjectRetention', 'sealed/a/changes/checkpoint', ['RenewLocks']],
    ['s3:PutObjectLegalHold', 'sealed/a/changes/checkpoint', []],
    ['s3:DeleteObjectVersion', 'sealed/a/changes/checkpoint', []],
    ['s3:ListBucketVersions', 'sealed', ['RenewLocks']],
    ['s3:GetBucketObjectLockConfiguration', 'sealed', ['RenewLocks']],
    ['s3:PutBucketObjectLockConfiguration', 'sealed', []],
    ['s3:PutLifecycleConfiguration', 'sealed', []],
    ['s3:PutBucketPolicy', 'sealed', []],
    ['s3:BypassGovernanceRetention', 'sealed/a/changes/checkpoint', []],
    ['kms:Sign', 'seal key', ['Seal']],
    ['kms:GetPublicKey', 'seal key', ['PublicKey', 'ReaderOfLogs', 'Seal']],
    ['kms:ScheduleKeyDeletion', 'seal key', []],
    ['s3:GetObject', 'archive/v1/flow/x.parquet', ['Archive', 'EraseActor', 'ReaderOfLogs', 'VerifyArchive']],
    ['s3:GetObject', 'archive/v1/manifest/x.json', ['Archive', 'EraseActor', 'ReaderOfLogs', 'Seal', 'VerifyArchive']],
    ['s3:PutObject', 'archive/v1/flow/x.parquet', ['Archive', 'EraseActor']],
    ['s3:PutObject', 'archive/v1/manifest/x.json', ['Archive']],
    ['s3:ListBucket', 'archive', ['Archive', 'EraseActor', 'VerifyArchive']],
    ['s3:DeleteObject', 'archive/v1/flow/x.parquet', []],
    ['s3:GetObjectVersion', 'archive/v1/flow/x.parquet', []],
    ['s3:DeleteObjectVersion', 'archive/v1/flow/x.parquet', ['DeleteAccounts', 'EraseActor']],
    ['s3:DeleteObjectVersion', 'archive/v1/manifest/x.json', ['DeleteAccounts']],
    ['s3:ListBucketVersions', 'archive', ['DeleteAccounts', 'EraseActor']],
    ['s3:PutLifecycleConfiguration', 'archive', []],
    ['s3:PutBucketPolicy', 'archive', []],
    ['s3:DeleteBucket', 'archive', []],
    ['s3:GetObject', 'failures/aws/lambda/x', ['Redrive']],
    ['s3:DeleteObject', 'failures/aws/lambda/x', ['Redrive']],
    ['s3:DeleteObject', 'failures/x', []],
    ['s3:DeleteObjectVersion', 'failures/aws/lambda/x', []],
    ['s3:PutLifecycleConfiguration', 'failures', []],
    ['s3:PutBucketPolicy', 'failures', []],
    ['s3:DeleteBucket', 'failures', []],
    ['kms:Decrypt', 'secret key', ['Callback', 'Sync']],
    ['kms:GenerateDataKey', 'secret key', ['Writer']],
    ['kms:PutKeyPolicy', 'secret key', []],
    ['kms:ScheduleKeyDeletion', 'secret key', []],
    [
      'secretsmanager:GetSecretValue',
      'secret',
      [
        ...['Client', 'Gateway', 'Ingest', 'Live', 'Reader', 'ReaderOfLogs', 'ReaderOfSessions'],
        ...['RotateSecret', 'SecretReader', 'Writer'],
      ],
    ],
    ['execute-api:ManageConnections', 'connections/POST', ['Client', 'FollowUp', 'Gateway', 'Live']],
    ['execute-api:ManageConnections', 'connections/DELETE', ['Client', 'FollowUp', 'Gateway', 'Live']],
    ['execute-api:ManageConnections', 'connections/GET', []],
    ['execute-api:Invoke', 'connections/POST', []],
    ['secretsmanager:PutSecretValue', 'secret', ['RotateSecret']],
    ['secretsmanager:CreateSecret', 'token secret', ['Provision']],
    ['secretsmanager:CreateSecret', 'secret', []],
    ['secretsmanager:TagResource', 'token secret', ['Provision']],
    ['secretsmanager:GetSecretValue', 'token secret', []],
    ['secretsmanager:PutSecretValue', 'token secret', []],
    ['secretsmanager:DeleteSecret', 'token secret', []],
    ['secretsmanager:DeleteSecret', 'secret', []],
    ['ses:SendEmail', 'mail', ['CompareLimits', 'MailPasscode', 'MailSyncErrors']],
  ])('%s on %s is limited to its roles', (action, target, by) => {
    expect(allowed(callTo(action, target))).toEqual(by)
  })

  it('only the deletion of accounts and the verification of rows scan, and they write no rows', async () => {
    expect(allowed(onTable('Scan'))).toEqual(['DeleteAccounts', 'VerifyRows'])
    for (const key of [...(await loadEntities()).keys(), 'version', 'log.flow#2026-11-22#3', 'presence.actors']) {
      for (const action of ['PutItem', 'UpdateItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate']) {
        expect(allowed(onTable(action, key)), `${action} ${key}`).not.toContain('DeleteAccounts')
      }
    }
  })

  it('only the rollback moves an alias, only pruning deletes versions, and no role deletes a function', () => {
    const on = (action: string, name: string) => {
      const resource = `arn:aws:lambda:us-east-1:000000000000:function:${name}`
      const able = roles.filter(
        ({ statements }) => evaluate(statements, { action, resource, context: {} }) === 'allowed',
      )
      return able.map((role) => role.name).sort()
    }
    for (const { name } of rights.functions.values()) {
      if (name.startsWith('NetworkAccess-Front-')) continue
      expect(on('lambda:UpdateAlias', name), name).toEqual(['RollBack'])
      expect(on('lambda:DeleteFunction', `${name}:3`), name).toEqual(['PruneVersions'])
      for (const action of ['DeleteFunction', 'CreateAlias', 'DeleteAlias', 'PublishVersion', 'UpdateFunctionCode'])
        expect(on(`lambda:${action}`, name), `${action} ${name}`).toEqual([])
    }
    for (const action of ['UpdateAlias', 'GetAlias', 'ListVersionsByFunction', 'DeleteFunction'])
      for (const name of ['Another', 'Another:3']) expect(on(`lambda:${action}`, name), action).toEqual([])
  })

  it('only the rollback and pruning read stacks, and only those of the service', () => {
    const on = (action: string, stack: string) => {
      const resource = `arn:aws:cloudformation:us-east-1:000000000000:stack/${stack}/id`
      return roles.filter(({ statements }) => evaluate(statements, { action, resource, context: {} }) === 'allowed')
    }
    const both = ['PruneVersions', 'RollBack']
    for (const stack of ['NetworkAccess', 'NetworkAccess-OperationsgroupsNestedStack']) {
      const by = on('cloudformation:ListStackResources', stack).map(({ name }) => name)
      expect(by.sort(), stack).toEqual(both)
    }
    for (const action of ['ListStackResources', 'DescribeStacks', 'UpdateStack', 'DeleteStack'])
      expect(on(`cloudformation:${action}`, 'Another'), action).toEqual([])
    expect(on('cloudformation:UpdateStack', 'NetworkAccess')).toEqual([])
  })

  it('only the redrive and replay invoke consumers, and only sign-in invokes the mailing of passcodes', () => {
    for (const [file, { name }] of rights.functions) {
      const invokers = { 'tasks/mail-passcode.ts': ['Callback', 'SignIn'] }[file] ?? []
      const by = file.startsWith('streams/') ? ['Redrive', 'Replay'] : invokers
      expect(allowed(callTo('lambda:InvokeFunction', `function ${name}:current`)), file).toEqual(by)
      expect(allowed(callTo('lambda:InvokeFunction', `function ${name}`)), file).toEqual([])
      for (const action of ['UpdateFunctionCode', 'UpdateFunctionConfiguration', 'AddPermission', 'DeleteFunction']) {
        expect(allowed(callTo(`lambda:${action}`, `function ${name}`)), file).toEqual([])
      }
    }
  })

  it('no pattern of keys matches a value within a key', () => {
    const patterns = roles.flatMap(({ statements }) =>
      statements.flatMap(({ Condition = {} }) =>
        Object.values(Condition).flatMap((keys) => [keys['dynamodb:LeadingKeys'] ?? []].flat(2)),
      ),
    )
    const keys = new Set(patterns.map(String).filter((pattern) => pattern !== 'false'))
    expect(keys.size).toBeGreaterThan(50)
    for (const key of keys) expect(key).toMatch(/^(\?{36}#|service#)[^*?]*\*?$/)
  })
})

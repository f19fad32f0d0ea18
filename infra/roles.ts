import { Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { accounts } from '#shared/domain/accounts/account.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { limitsMailsPartition } from '#shared/jobs/limits/limits-mails.ts'
import { pulseKey } from '#shared/jobs/pulse/pulse.ts'
import { sealedRows } from '#shared/jobs/secret-rotation/sealed-rows.ts'
import { versionNotesPartition } from '#shared/jobs/secret-rotation/version-note.ts'
import { syncMailsPartition } from '#shared/jobs/sync-mails/sync-mails.ts'
import { flowSlicesPartition, openFlowsPartition } from '#shared/logs/flows/flow-index.ts'
import { logPartition } from '#shared/logs/log-keys.ts'
import { sealedAccountsPartition } from '#shared/seal/sealed-accounts.ts'
import { entityKey, headKey, partition } from '#shared/table/keys.ts'
import { acknowledge, wildcardRule } from './acknowledge.ts'
import { useOfKey } from './encryption-key.ts'
import type { LiveApi } from './live-api.ts'
import {
  anyAccount,
  auditTrail,
  clientParts,
  commitRecords,
  directoryKeysReads,
  entriesOf,
  gatewayParts,
  lastUse,
  liveParts,
  notForDevices,
  passcodeParts,
  passcodeReads,
  pointersOf,
  rateBuckets,
  sealedParts,
  signInParts,
  signInReads,
  sourceRates,
} from './partitions.ts'
import type { Settings } from './settings.ts'
import type { Storage } from './storage.ts'

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']
/** A check within a transaction reads. */
const checks = ['dynamodb:ConditionCheckItem']
/** What changes an item that is there; a batch of puts is one of them. */
const changes = ['dynamodb:UpdateItem', 'dynamodb:BatchWriteItem', 'dynamodb:PartiQLUpdate']
const deletions = ['dynamodb:DeleteItem', 'dynamodb:PartiQLDelete']

/** What one function or kind of functions may do. */
export type RoleName =
  | 'reader'
  | 'writer'
  | 'client'
  | 'gateway'
  | 'ingest'
  | 'signIn'
  | 'directoryKeys'
  | 'mailPasscode'
  | 'provision'
  | 'public'
  | 'expire'
  | 'sync'
  | 'deleteAccounts'
  | 'compareLimits'
  | 'mailSyncErrors'
  | 'pulse'
  | 'seal'
  | 'publicKey'
  | 'live'
  | Consumer
  | Task
export type Consumer = 'writeChangeLog' | 'followUp' | 'storeFlowLogs'
type Task =
  | 'redrive'
  | 'verify'
  | 'verifyRows'
  | 'rotateSecret'
  | 'resealSecrets'
  | 'replay'
  | 'indexChangeLog'
  | 'checkConcurrency'

/** Those of the functions that answer HTTP requests. */
const answering: RoleName[] = [
  'reader',
  'writer',
  'client',
  'gateway',
  'live',
  'ingest',
  'signIn',
  'directoryKeys',
  'public',
  'publicKey',
]

/** Those that meet nothing that the deployment's key encrypts: what answers without the table, and what asks about the account. */
const keyless = ['public', 'publicKey', 'checkConcurrency']

/** Those that commit: their transactions put commit records. */
const committing: RoleName[] = [
  'writer',
  'client',
  'gateway',
  'signIn',
  'provision',
  'followUp',
  'expire',
  'sync',
  'mailSyncErrors',
  'resealSecrets',
]

/** Those that devices call. */
const devices: RoleName[] = ['client', 'gateway']

/** Those that start sessions: their transactions put the entries of them. */
const starting: RoleName[] = [...devices, 'signIn']

/** Those that tell devices. */
const sending: RoleName[] = ['live', 'client', 'gateway', 'followUp']

/** Those that mail. */
const mailing = ['compareLimits', 'mailPasscode', 'mailSyncErrors'] as const

type Props = { storage: Storage; logGroup: ILogGroup; settings: Settings; channel: LiveApi | null }

/** The address or its domain, whichever is verified. */
const sendingFrom = (scope: Construct, sender: string) => ({
  actions: ['ses:SendEmail'],
  resources: [sender, sender.slice(sender.indexOf('@') + 1)].map((resourceName) =>
    Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName }),
  ),
})

/**
 * What keeps the audit trail (docs/decisions/0012): nothing of it is changed, only the deletion of accounts deletes from it, and
 * a put, which can overwrite, is left to those whose transactions need it.
 */
function keepsTrail(duty: RoleName, table: string): PolicyStatement[] {
  const denied = (actions: string[], partitions: string[]) =>
    new PolicyStatement({
      effect: Effect.DENY,
      actions,
      resources: [table],
      conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': partitions } },
    })
  return [
    denied(duty === 'deleteAccounts' ? changes : [...changes, ...deletions], auditTrail),
    denied(
      ['dynamodb:PutItem'],
      [
        ...entriesOf('change'),
        ...entriesOf('api_request'),
        ...(starting.includes(duty) ? [] : entriesOf('session')),
        ...(committing.includes(duty) ? [] : [commitRecords]),
      ],
    ),
    // What proves the trail is written by who seals it, and by nobody else.
    ...(duty === 'seal' || duty === 'deleteAccounts' ? [] : [denied([...changes, ...deletions], [sealedParts])]),
    ...(duty === 'seal' ? [] : [denied(['dynamodb:PutItem', 'dynamodb:PartiQLInsert'], [sealedParts])]),
    ...(duty === 'live' || devices.includes(duty)
      ? [denied([...reads, 'dynamodb:ConditionCheckItem'], notForDevices)]
      : []),
  ]
}

/** One role for each duty, with no more rights than that duty has. */
export class Roles extends Construct {
  readonly of: Record<RoleName, Role>

  constructor(scope: Construct, id: string, { storage, logGroup, settings, channel }: Props) {
    super(scope, id)
    const onTable = (actions: string[], partitions?: string[]) =>
      new PolicyStatement({
        actions,
        resources: [storage.table.tableArn],
        ...(partitions && {
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
            // Without this, a request that names no key would satisfy the condition.
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      })
    const requestLog = onTable(['dynamodb:PartiQLInsert'], entriesOf('api_request'))
    // What is written by key alone: where it lies is for the deny below to say.
    const everything = [partition(anyAccount, '*'), 'service#*']
    const changing = [onTable([...reads, ...checks]), onTable(writes, everything)]
    const secret = new PolicyStatement({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [storage.secret.secretArn],
    })
    const publicHalf = new PolicyStatement({
      actions: ['kms:GetPublicKey'],
      resources: [storage.sealKey.keyArn],
    })
    const statements: Record<RoleName, PolicyStatement[]> = {
      // A read adds the entry of its request, the last use of its token and what it takes of the rate limit; no row.
      reader: [
        onTable(reads),
        requestLog,
        onTable(['dynamodb:UpdateItem'], [...lastUse, rateBuckets]),
        secret,
        publicHalf,
      ],
      writer: [...changing, requestLog, secret],
      client: [onTable([...reads, ...checks]), onTable(writes, clientParts), secret],
      gateway: [onTable([...reads, ...checks]), onTable(writes, gatewayParts), secret],
      live: [onTable([...reads, ...checks]), onTable(writes, liveParts), secret],
      ingest: [
        onTable(['dynamodb:GetItem'], [entityKey(anyAccount, accounts.name, '').pk, rateBuckets]),
        onTable(['dynamodb:UpdateItem'], [rateBuckets]),
        new PolicyStatement({ actions: ['kinesis:PutRecords'], resources: [storage.flows.streamArn] }),
        secret,
      ],
      // Whoever it is of that asks, it sees who may sign in and how, and writes what a sign-in gives.
      signIn: [onTable([...reads, ...checks], signInReads), onTable(writes, signInParts), secret],
      // Anybody may ask for a public key, which is made of the private one.
      directoryKeys: [onTable(reads, directoryKeysReads), onTable(['dynamodb:UpdateItem'], [sourceRates]), secret],
      // It looks at whom an address belongs to, keeps the passcode, and sends it.
      mailPasscode: [
        onTable(['dynamodb:GetItem', 'dynamodb:Query'], passcodeReads),
        onTable(['dynamodb:PutItem'], passcodeParts),
      ],
      provision: [...changing, secret],
      public: [],
      publicKey: [publicHalf],
      // It reads the trail and what accounts there are, and writes what proves it. It looks for older accounts once.
      seal: [
        onTable(reads, [
          headKey(anyAccount).pk,
          entityKey(anyAccount, accounts.name, '').pk,
          ...auditTrail,
          sealedParts,
          'service#seal*',
        ]),
        onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [sealedParts]),
        onTable(['dynamodb:PutItem', 'dynamodb:PartiQLInsert', 'dynamodb:DeleteItem'], ['service#seal*']),
        onTable(['dynamodb:Scan']),
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [storage.sealed.bucketArn] }),
        new PolicyStatement({
          actions: ['s3:GetObject', 's3:PutObject'],
          resources: [storage.sealed.arnForObjects('*')],
        }),
        new PolicyStatement({ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [storage.sealKey.keyArn] }),
      ],
      writeChangeLog: [onTable(['dynamodb:PartiQLInsert'], [...entriesOf('change'), sealedAccountsPartition])],
      // It deletes what lies below a deleted object, whatever that is.
      followUp: [...changing],
      expire: changing,
      // It changes what a directory owns, and deletes what lies below that.
      sync: [...changing, secret],
      // It looks at all items for those of an account; it makes none but the notes of its own progress.
      deleteAccounts: [
        onTable([...reads, 'dynamodb:Scan', ...deletions]),
        onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [dueAccountsPartition]),
      ],
      compareLimits: [onTable(reads), onTable(['dynamodb:PutItem'], [limitsMailsPartition(anyAccount)])],
      // It notes in the row of what it mails about that it did, by a commit.
      mailSyncErrors: [
        onTable(reads),
        onTable(
          ['dynamodb:PutItem'],
          [
            ...[...Object.values(directories), postureProviders].map(({ name }) => partition(anyAccount, name)),
            headKey(anyAccount).pk,
            commitRecords,
            syncMailsPartition(anyAccount),
          ],
        ),
      ],
      pulse: [
        onTable(['dynamodb:PutItem', 'dynamodb:DeleteItem'], [pulseKey.pk]),
        new PolicyStatement({ actions: ['kinesis:PutRecords'], resources: [storage.flows.streamArn] }),
      ],
      storeFlowLogs: [
        onTable(
          ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
          [logPartition(anyAccount, 'flow', '*'), partition(anyAccount, 'log.flow.*')],
        ),
        onTable(['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'], [logPartition(anyAccount, 'flow', '*')]),
        // Open flows are gathered after a while; what pointed to them is deleted when they close.
        onTable(['dynamodb:Query'], [logPartition(anyAccount, 'flow', '*'), flowSlicesPartition(anyAccount)]),
        onTable(['dynamodb:DeleteItem'], [openFlowsPartition(anyAccount), flowSlicesPartition(anyAccount)]),
      ],
      // What it may invoke is added with the consumers. It has no right on the table: the consumers write.
      redrive: [
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [storage.failures.bucketArn] }),
        new PolicyStatement({
          actions: ['s3:GetObject', 's3:DeleteObject'],
          resources: [storage.failures.arnForObjects('aws/lambda/*')],
        }),
      ],
      // It changes the secret and sees nothing of the table but what is noted of the versions.
      rotateSecret: [
        onTable(['dynamodb:Query', 'dynamodb:DeleteItem'], [versionNotesPartition]),
        new PolicyStatement({ actions: ['secretsmanager:PutSecretValue'], resources: [storage.secret.secretArn] }),
        secret,
      ],
      // It looks at all items for what is sealed, and commits rows that are sealed anew.
      resealSecrets: [
        onTable(['dynamodb:Scan', 'dynamodb:Query', 'dynamodb:GetItem']),
        onTable(
          ['dynamodb:PutItem'],
          [
            ...[...sealedRows.keys()].map((name) => partition(anyAccount, name)),
            headKey(anyAccount).pk,
            commitRecords,
            versionNotesPartition,
          ],
        ),
        secret,
      ],
      // What it may invoke is added with the consumers, which write.
      replay: [onTable(['dynamodb:Query'], [commitRecords])],
      // The action is about the account and knows no resources.
      checkConcurrency: [new PolicyStatement({ actions: ['lambda:GetAccountSettings'], resources: ['*'] })],
      verify: [
        onTable(['dynamodb:Query'], [commitRecords, logPartition(anyAccount, 'change', '*')]),
        onTable(['dynamodb:BatchGetItem'], [pointersOf('change')]),
      ],
      // It looks at all items for accounts, and puts what leads to their entries; never an entry.
      indexChangeLog: [
        onTable(['dynamodb:Scan']),
        onTable(['dynamodb:Query'], [logPartition(anyAccount, 'change', '*')]),
        onTable(['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert'], [pointersOf('change')]),
      ],
      // It looks at all items, and writes none.
      verifyRows: [onTable(['dynamodb:Scan', 'dynamodb:GetItem', 'dynamodb:BatchGetItem'])],
    }
    const role = ([duty, rights]: [string, PolicyStatement[]]): [string, Role] => {
      const made = new Role(this, duty.charAt(0).toUpperCase() + duty.slice(1), {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      })
      for (const statement of [...rights, ...keepsTrail(duty as RoleName, storage.table.tableArn)]) {
        made.addToPolicy(statement)
      }
      logGroup.grantWrite(made)
      return [duty, made]
    }
    if (settings.mailSender) {
      for (const duty of mailing) statements[duty].push(new PolicyStatement(sendingFrom(this, settings.mailSender)))
    }
    for (const arn of [settings.suiteClientSecretArn, settings.tenantClientSecretArn]) {
      if (arn === null) continue
      statements.signIn.push(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] }))
    }
    if (settings.cdnSecretArn) {
      const reading = { actions: ['secretsmanager:GetSecretValue'], resources: [settings.cdnSecretArn] }
      for (const duty of answering) statements[duty].push(new PolicyStatement(reading))
    }
    const { key } = storage
    for (const [duty, rights] of Object.entries(statements)) {
      if (key && !keyless.includes(duty)) rights.push(useOfKey(this, key))
    }
    this.of = Object.fromEntries(Object.entries(statements).map(role)) as Record<RoleName, Role>
    // Those who may send messages for connections: the channel itself, and who makes or ends what devices hold.
    for (const duty of sending) channel?.manageConnections(this.of[duty])
    acknowledge(
      this.of.checkConcurrency,
      'AwsSolutions-IAM5[Resource::*]',
      'GetAccountSettings is about the account and knows no resources.',
    )
    acknowledge(
      this.of.seal,
      wildcardRule(storage.sealed, storage.sealed.arnForObjects('*')),
      'Tiles and checkpoints are named by account and number.',
    )
    acknowledge(
      this.of.redrive,
      wildcardRule(storage.failures, storage.failures.arnForObjects('aws/lambda/*')),
      'Lambda makes up the name of each object.',
    )
  }
}

import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { accounts } from '#shared/domain/accounts/account.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { limitsMailsPartition } from '#shared/jobs/limits/compare-limits.ts'
import { pulseKey } from '#shared/jobs/pulse/pulse.ts'
import { logStreams } from '#shared/logs/entries/log-id.ts'
import { logPartition } from '#shared/logs/entries/log-keys.ts'
import { lockRenewalKey, sealedAccountsPartition } from '#shared/seal/log/sealed-log.ts'
import { syncMailsPartition } from '#shared/sync/mails/mail-sync-errors.ts'
import { accountVersionKey, entityKey, partition } from '#shared/table/keys.ts'
import { arnOf, namePrefix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'
import type { Duty } from './duties.ts'
import { deletions, may, reads, readsAndChecks, writes } from './may.ts'
import {
  actorCounts,
  anyAccount,
  archiveIndexParts,
  archiveStates,
  auditTrail,
  authorizationParts,
  callbackParts,
  clientParts,
  commitRecordPartitions,
  directoryKeysReads,
  entriesOf,
  flowBlocks,
  gatewayParts,
  lastUsePartitions,
  liveParts,
  namedRows,
  nameIndex,
  openFlowParts,
  passcodeParts,
  passcodeReads,
  pointersOf,
  rateBuckets,
  readerOfSessionsReads,
  refusalParts,
  sealedParts,
  secretReaderReads,
  signInParts,
  signInReads,
  sourceRates,
} from './partitions.ts'

/** Returns the patterns of the objects with log entries, without manifests. */
export const logFilesOf = (archive: Storage['archive']): string[] =>
  logStreams.map((stream) => archive.arnForObjects(`v1/${stream}/*`))

/** Builds the permissions of each duty on stored data. The order is operations, consumers, schedules, tasks. */
export function rightsOfDuties(storage: Storage) {
  const { table, signingSecret, secretKey, sealKey, flows: stream, failures, sealed, archive } = storage
  const onTable = (actions: string[], partitions?: string[]): PolicyStatement =>
    may(
      actions,
      [table.tableArn],
      partitions && {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
        // Excludes requests without a key, which would otherwise satisfy the condition.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    )
  const readsWithChecks = onTable(readsAndChecks)
  // Allows writing any item by key, except the items that `denyAuditWrites` protects.
  const changesAny = [readsWithChecks, onTable(writes, [partition(anyAccount, '*'), 'service#*'])]
  // Allows signing and verifying ingest tokens and cursors.
  const signing = may(['secretsmanager:GetSecretValue'], [signingSecret.secretArn])
  const decryptsSecrets = may(['kms:Decrypt'], [secretKey.keyArn])
  // Allows readers of a sealed log to verify its checkpoints.
  const publicSealKey = may(['kms:GetPublicKey'], [sealKey.keyArn])
  const putsFlows = may(['kinesis:PutRecords'], [stream.streamArn])
  const sealedObjects = [sealed.arnForObjects('*')]
  const archivedObjects = [archive.arnForObjects('*')]
  const requestLog = onTable(['dynamodb:PartiQLInsert'], entriesOf('api_request'))
  const endsAuthorizations = onTable(['dynamodb:DeleteItem'], authorizationParts)
  // Allows a read request to write its log entry, its token's last-used time and its rate limit bucket, but no rows.
  const requestNotes = [requestLog, onTable(['dynamodb:UpdateItem'], [...lastUsePartitions, rateBuckets])]
  const accountVersion = accountVersionKey(anyAccount).pk
  const accountRow = entityKey(anyAccount, accounts.name, '').pk
  return {
    reader: [onTable(reads), ...requestNotes, signing],
    readerOfLogs: [onTable(reads), ...requestNotes, signing, publicSealKey, may(['s3:GetObject'], archivedObjects)],
    readerOfSessions: [onTable(reads, readerOfSessionsReads), ...requestNotes, signing],
    secretReader: [onTable(reads, secretReaderReads), ...requestNotes, signing],
    writer: [...changesAny, requestLog, signing, may(['kms:GenerateDataKey'], [secretKey.keyArn])],
    client: [readsWithChecks, onTable(writes, clientParts), signing],
    gateway: [readsWithChecks, onTable(writes, gatewayParts), endsAuthorizations, signing],
    live: [readsWithChecks, onTable(writes, liveParts), endsAuthorizations, signing],
    ingest: [
      onTable(['dynamodb:GetItem'], [accountRow, rateBuckets]),
      onTable(['dynamodb:UpdateItem'], [rateBuckets]),
      putsFlows,
      signing,
    ],
    // Serves anonymous callers. A sign-in also ends the sessions and authorizations of the identity's former subject.
    signIn: [onTable(readsAndChecks, signInReads), onTable(writes, signInParts), endsAuthorizations],
    // Serves browsers redirected from a provider. Can decrypt the provider's secret, but creates no session.
    callback: [onTable(reads, signInReads), onTable(writes, callbackParts), decryptsSecrets],
    directoryKeys: [onTable(reads, directoryKeysReads), onTable(['dynamodb:UpdateItem'], [sourceRates])],
    public: [],
    publicKey: [publicSealKey],

    // Allows indexing names of existing rows, and listing the accounts for the task `index-names`.
    writeChangeLog: [
      onTable(['dynamodb:PartiQLInsert'], [...entriesOf('change'), sealedAccountsPartition]),
      onTable(['dynamodb:PutItem', 'dynamodb:DeleteItem'], [nameIndex]),
      onTable(reads, [...namedRows, accountVersion, sealedAccountsPartition]),
    ],
    // Allows follow-up work to delete the descendants of a deleted object, which may be of any kind.
    followUp: changesAny,
    storeFlowLogs: [onTable(['dynamodb:PartiQLInsert'], [flowBlocks, archiveStates])],
    mailPasscode: [
      onTable(['dynamodb:GetItem', 'dynamodb:Query'], passcodeReads),
      onTable(['dynamodb:PutItem'], passcodeParts),
    ],

    expire: changesAny,
    sync: [...changesAny, decryptsSecrets],
    // Allows scanning the table for an account's items. Allows no writes except deletions and the duty's own progress.
    deleteAccounts: [
      onTable([...reads, 'dynamodb:Scan', ...deletions]),
      onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [dueAccountsPartition]),
      may(['s3:ListBucketVersions'], [archive.bucketArn]),
      may(['s3:DeleteObjectVersion'], archivedObjects),
    ],
    compareLimits: [onTable(reads), onTable(['dynamodb:PutItem'], [limitsMailsPartition(anyAccount)])],
    // Allows recording each mail in the provider's row, with a commit.
    mailSyncErrors: [
      onTable(reads),
      onTable(
        ['dynamodb:PutItem'],
        [
          ...[...Object.values(directories), postureProviders].map(({ name }) => partition(anyAccount, name)),
          accountVersion,
          commitRecordPartitions,
          syncMailsPartition(anyAccount),
        ],
      ),
    ],
    rotateSecret: [signing, may(['secretsmanager:PutSecretValue'], [signingSecret.secretArn])],
    pulse: [onTable(['dynamodb:PutItem', 'dynamodb:DeleteItem'], [pulseKey.pk]), putsFlows],
    seal: [
      onTable(reads, [accountVersion, accountRow, ...auditTrail, sealedParts, sealedAccountsPartition, archiveStates]),
      onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [sealedParts]),
      onTable(['dynamodb:DeleteItem'], [sealedAccountsPartition]),
      may(['s3:ListBucket'], [sealed.bucketArn]),
      may(['s3:GetObject', 's3:PutObject'], sealedObjects),
      may(['s3:GetObject'], [archive.arnForObjects('v1/manifest/*')]),
      may(['kms:Sign', 'kms:GetPublicKey'], [sealKey.keyArn]),
    ],
    // Allows extending locks. In compliance mode, a lock can only be extended.
    renewLocks: [
      onTable(['dynamodb:Query'], [sealedAccountsPartition]),
      onTable(['dynamodb:GetItem', 'dynamodb:PutItem'], [lockRenewalKey.pk]),
      may(['s3:ListBucketVersions', 's3:GetBucketObjectLockConfiguration'], [sealed.bucketArn]),
      may(['s3:GetObjectRetention', 's3:PutObjectRetention'], sealedObjects),
    ],
    // Allows comparing the trail with the sealed logs before it is flushed. Allows replacing the index and state, but no objects or blocks.
    archive: [
      onTable(reads, [
        accountVersion,
        accountRow,
        ...auditTrail,
        sealedParts,
        partition(anyAccount, 'attribution'),
        flowBlocks,
        openFlowParts,
        ...archiveIndexParts,
        archiveStates,
        sealedAccountsPartition,
      ]),
      onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [openFlowParts, ...archiveIndexParts, archiveStates]),
      may(['s3:ListBucket'], [archive.bucketArn]),
      may(['s3:GetObject', 's3:PutObject'], archivedObjects),
    ],

    provision: changesAny,
    // Needs no permission on the table, because the consumers write. `addTasks` adds the permission to invoke consumers.
    redrive: [
      may(['s3:ListBucket'], [failures.bucketArn]),
      may(['s3:GetObject', 's3:DeleteObject'], [failures.arnForObjects('aws/lambda/*')]),
    ],
    // Grants only reads, because the consumers write. `addTasks` adds the permission to invoke consumers.
    replay: [onTable(['dynamodb:Query'], [commitRecordPartitions])],
    // Names no resource, because `lambda:GetAccountSettings` does not support resource-level permissions.
    checkConcurrency: [may(['lambda:GetAccountSettings'])],
    verify: [
      onTable(['dynamodb:Query'], [commitRecordPartitions, logPartition(anyAccount, 'change', '*')]),
      onTable(['dynamodb:BatchGetItem'], [pointersOf('change')]),
      onTable(['dynamodb:GetItem'], [accountVersion]),
    ],
    verifyArchive: [
      onTable(reads, [accountVersion, archiveStates, sealedParts, sealedAccountsPartition]),
      may(['s3:ListBucket'], [archive.bucketArn]),
      may(['s3:GetObject'], archivedObjects),
    ],
    // Allows replacing files, but no manifests, and deleting replaced versions and expired files.
    eraseActor: [
      onTable(reads, [accountVersion, archiveStates, actorCounts]),
      onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [archiveStates, actorCounts]),
      onTable(['dynamodb:Query', 'dynamodb:DeleteItem'], [refusalParts]),
      may(['s3:ListBucket', 's3:ListBucketVersions'], [archive.bucketArn]),
      may(['s3:GetObject'], archivedObjects),
      may(['s3:PutObject', 's3:DeleteObjectVersion'], logFilesOf(archive)),
    ],
    verifyRows: [onTable(['dynamodb:Scan', 'dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:BatchGetItem'])],
  } satisfies Partial<Record<Duty, PolicyStatement[]>>
}

/**
 * Builds the permissions to roll back to an earlier version and to prune versions. A rollback moves aliases. Both tasks read stacks and
 * versions.
 */
export function versionRights(scope: Construct, settings: Settings) {
  const { stackName, prefix } = settings
  const stack = arnOf(scope, 'cloudformation', `stack/${stackName}/*`)
  const nestedStackArn = arnOf(scope, 'cloudformation', `stack/${stackName}-*/*`)
  // Uses patterns, because a list of all ARNs would exceed the limit of 10,240 characters for a role's policies.
  const names = [`${namePrefix(settings)}*`, `${prefix}-mail-passcode-*`]
  const functions = names.map((name) => arnOf(scope, 'lambda', `function:${name}`))
  // Excludes the function itself, whose ARN has no version number.
  const versions = functions.map((arn) => `${arn}:*`)
  const reading = [
    may(['cloudformation:DescribeStacks'], [stack]),
    may(['cloudformation:ListStackResources'], [stack, nestedStackArn]),
    may(['lambda:ListVersionsByFunction', 'lambda:GetAlias'], functions),
  ]
  return {
    rollBack: [...reading, may(['lambda:UpdateAlias'], functions)],
    pruneVersions: [...reading, may(['lambda:DeleteFunction'], versions)],
  }
}

import { Duration } from 'aws-cdk-lib'
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  type ITableV2,
  StreamViewType,
  TableClass,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import { type IStream, Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Bucket, type IBucket, ObjectLockRetention, StorageClass } from 'aws-cdk-lib/aws-s3'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct, type IConstruct } from 'constructs'
import { acknowledge } from '../nag/acknowledge.ts'
import { lockDays } from '../settings/data.ts'
import type { Settings } from '../settings/settings.ts'
import { dataBucket, removalPolicyOf } from './data-retention.ts'
import { encryptionKey } from './encryption-key.ts'
import { sealSigningKey, secretKey } from './keys.ts'
import { tablePolicy } from './table-policy.ts'

export type Storage = {
  readonly table: ITableV2
  readonly flows: IStream
  readonly failures: IBucket
  /** Secret that signs ingest tokens and cursors. */
  readonly signingSecret: ISecret
  /** Key that encrypts the secrets of providers and directories. */
  readonly secretKey: IKey
  /** Bucket with the tiles and checkpoints of the sealed logs. `sealKey` signs the checkpoints. */
  readonly sealed: IBucket
  readonly sealKey: IKey
  /** Bucket with the Parquet files and manifests of the archive. */
  readonly archive: IBucket
  /** Key that encrypts all data at rest; null if AWS's keys are used. */
  readonly key: IKey | null
}

function mainTable(scope: Construct, settings: Settings, key: IKey | null): ITableV2 {
  const { tableStreamArn, tableClass, keepData } = settings
  if (tableStreamArn !== null) {
    const tableArn = tableStreamArn.replace(/\/stream\/.*$/, '')
    return TableV2.fromTableAttributes(scope, 'Table', { tableArn, tableStreamArn })
  }
  const table = new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'ttl',
    billing: Billing.onDemand(),
    ...(tableClass === 'infrequent-access' && { tableClass: TableClass.STANDARD_INFREQUENT_ACCESS }),
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: TableEncryptionV2.awsManagedKey(),
    deletionProtection: keepData,
    resourcePolicy: tablePolicy(scope, settings),
    removalPolicy: removalPolicyOf(settings),
  })
  // Overrides the template, because the CDK's own property requires an explicit region.
  const [replica] = table.node.findAll().filter((node) => node instanceof CfnGlobalTable)
  if (key) replica?.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn)
  return table
}

function flowStream(scope: Construct, settings: Settings, key: IKey | null): IStream {
  const { flowStreamArn, flowStreamShards: shardCount } = settings
  if (flowStreamArn !== null) return Stream.fromStreamArn(scope, 'Flows', flowStreamArn)
  const stream = new Stream(scope, 'Flows', {
    ...(shardCount === 'on-demand'
      ? { streamMode: StreamMode.ON_DEMAND }
      : { streamMode: StreamMode.PROVISIONED, shardCount }),
    // Uses the free retention of one day. Records that a consumer cannot handle in that time go to the failure bucket.
    retentionPeriod: Duration.hours(24),
    ...(key ? { encryption: StreamEncryption.KMS, encryptionKey: key } : { encryption: StreamEncryption.MANAGED }),
    removalPolicy: removalPolicyOf(settings),
  })
  if (key) acknowledge(stream, 'AwsSolutions-KDS3', 'The deployment uses its own key.')
  return stream
}

function failuresBucket(scope: Construct, settings: Settings, key: IKey | null): IBucket {
  if (settings.failuresBucket !== null) return Bucket.fromBucketName(scope, 'Failures', settings.failuresBucket)
  const reason =
    'Only Lambda writes and only the redrive task reads. A trail of data events shows any other access better than a second bucket.'
  return dataBucket(scope, 'Failures', settings, key, reason, {
    lifecycleRules: [{ expiration: Duration.days(90), noncurrentVersionExpiration: Duration.days(7) }],
  })
}

/**
 * Creates or references the bucket for the sealed logs (S3). Object lock is always enabled, so that a retention can be set later without a
 * new bucket. Trials have no retention, because their data is deleted with the stack. An existing bucket keeps its retention.
 */
function sealBucket(scope: Construct, settings: Settings, key: IKey | null): IBucket {
  if (settings.sealBucket !== null) return Bucket.fromBucketName(scope, 'Sealed', settings.sealBucket)
  const days = lockDays(settings)
  const reason =
    'Only one function writes and nobody can delete. A trail of data events shows who reads better than a second bucket.'
  return dataBucket(scope, 'Sealed', settings, key, reason, {
    objectLockEnabled: true,
    ...(days > 0 && { objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(days)) }),
    // Deletes replaced objects once their lock has expired.
    lifecycleRules: [{ noncurrentVersionExpiration: Duration.days(Math.max(7, days)) }],
  })
}

/** Size in bytes above which an archived object moves to cheaper storage, in which S3 bills each object for at least 90 days. */
const minTierBytes = 1_048_576

/**
 * Creates or references the bucket of the archive (R4). It has no object lock, because an erasure replaces objects and deletes their
 * versions. An existing bucket keeps its lifecycle.
 */
function archiveBucket(scope: Construct, settings: Settings, key: IKey | null): IBucket {
  if (settings.archiveBucket !== null) return Bucket.fromBucketName(scope, 'Archive', settings.archiveBucket)
  const { archiveRetentionDays, archiveTierDays } = settings
  const reason =
    'Only the flush writes and only operations under /logs read. A trail of data events shows any other access better than a second bucket.'
  return dataBucket(scope, 'Archive', settings, key, reason, {
    lifecycleRules: [
      { expiration: Duration.days(archiveRetentionDays), noncurrentVersionExpiration: Duration.days(7) },
      ...(archiveTierDays > 0
        ? [
            {
              objectSizeGreaterThan: minTierBytes,
              transitions: [
                {
                  storageClass: StorageClass.GLACIER_INSTANT_RETRIEVAL,
                  transitionAfter: Duration.days(archiveTierDays),
                },
              ],
            },
          ]
        : []),
    ],
  })
}

function createSigningSecret(scope: Construct, settings: Settings, key: IKey | null): ISecret {
  const secret = new Secret(scope, 'SigningSecret', {
    description: 'Signs ingest tokens and cursors. The service rotates it.',
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    ...(key && { encryptionKey: key }),
    removalPolicy: removalPolicyOf(settings),
  })
  acknowledge(secret, 'AwsSolutions-SMG4', 'A schedule of the service rotates it with one request.')
  return secret
}

/** Creates the data resources. If a setting names an existing resource, that resource is used unchanged instead. */
export function addStorage(stack: Construct, settings: Settings): Storage {
  const scope = new Construct(stack, 'Storage')
  const key = encryptionKey(scope, settings)
  const others = {
    flows: flowStream(scope, settings, key),
    failures: failuresBucket(scope, settings, key),
    signingSecret: createSigningSecret(scope, settings, key),
    secretKey: secretKey(scope, settings),
    sealed: sealBucket(scope, settings, key),
    sealKey: sealSigningKey(scope, settings),
    archive: archiveBucket(scope, settings, key),
  }
  const table = mainTable(scope, settings, key)
  createTableAfter(table, ...Object.values(others))
  return { key, ...others, table }
}

/** Creates the table last, so that a failed creation of the stack never has to delete the protected table. */
export function createTableAfter(table: ITableV2, ...earlier: IConstruct[]): void {
  if (table instanceof TableV2) table.node.addDependency(...earlier)
}

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
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct, type IConstruct } from 'constructs'
import { acknowledge } from '../nag/acknowledge.ts'
import type { Settings } from '../settings/settings.ts'
import { encryptionKey } from './encryption-key.ts'
import { bucketKeptBy, keptBy } from './kept-by.ts'
import { sealBucket } from './seal-bucket.ts'
import { sealKey } from './seal-key.ts'
import { tablePolicy } from './table-policy.ts'

/** Stored data of the service: the table, the flow stream, failed batches, the sealed logs, and the secret and keys of them. */
export type Storage = {
  readonly table: ITableV2
  readonly flows: IStream
  readonly failures: IBucket
  readonly secret: ISecret
  /** Tiles and checkpoints of the sealed logs, and the key that signs these. */
  readonly sealed: IBucket
  readonly sealKey: IKey
  /** Encrypts all of the above; null where keys of AWS do. */
  readonly key: IKey | null
}

/** The resources of the data stack. A resource that a setting names is used as it is, and none is made in its place. */
export class StorageResources extends Construct implements Storage {
  readonly table: ITableV2
  readonly flows: IStream
  readonly failures: IBucket
  readonly secret: ISecret
  readonly sealed: IBucket
  readonly sealKey: IKey
  readonly key: IKey | null

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id)
    this.key = encryptionKey(this, settings)
    this.flows = this.flowStream(settings)
    this.failures = this.failuresBucket(settings)
    this.secret = this.serviceSecret(settings)
    this.sealed = sealBucket(this, settings, this.key)
    this.sealKey = sealKey(this, settings)
    this.table = this.mainTable(settings)
    this.makeTableAfter(this.flows, this.failures, this.secret, this.sealed, this.sealKey)
  }

  /**
   * The table is protected against deletion, also against that of a stack whose creation failed: it is made when
   * everything that can fail is there.
   */
  makeTableAfter(...earlier: IConstruct[]): void {
    if (this.table instanceof TableV2) this.table.node.addDependency(...earlier)
  }

  private mainTable(settings: Settings): ITableV2 {
    const { tableStreamArn, tableClass, keepData } = settings
    if (tableStreamArn !== null) {
      const tableArn = tableStreamArn.replace(/\/stream\/.*$/, '')
      return TableV2.fromTableAttributes(this, 'Table', { tableArn, tableStreamArn })
    }
    const table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'ttl',
      billing: Billing.onDemand(),
      ...(tableClass === 'infrequent-access' && { tableClass: TableClass.STANDARD_INFREQUENT_ACCESS }),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: keepData,
      resourcePolicy: tablePolicy(this, settings),
      removalPolicy: keptBy(settings),
    })
    // The CDK would ask for the region of the deployment here.
    const [replica] = table.node.findAll().filter((node) => node instanceof CfnGlobalTable)
    if (this.key) replica?.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', this.key.keyArn)
    return table
  }

  private flowStream(settings: Settings): IStream {
    const { flowStreamArn, flowStreamShards } = settings
    if (flowStreamArn !== null) return Stream.fromStreamArn(this, 'Flows', flowStreamArn)
    const stream = new Stream(this, 'Flows', {
      ...(flowStreamShards === 'on-demand'
        ? { streamMode: StreamMode.ON_DEMAND }
        : { streamMode: StreamMode.PROVISIONED, shardCount: flowStreamShards }),
      // A day is free; what a consumer cannot store in that time lies in the failure bucket.
      retentionPeriod: Duration.hours(24),
      ...(this.key
        ? { encryption: StreamEncryption.KMS, encryptionKey: this.key }
        : { encryption: StreamEncryption.MANAGED }),
      removalPolicy: keptBy(settings),
    })
    if (this.key) acknowledge(stream, 'AwsSolutions-KDS3', 'The deployment has chosen a key of its own.')
    return stream
  }

  private failuresBucket(settings: Settings): IBucket {
    const { failuresBucket } = settings
    if (failuresBucket !== null) return Bucket.fromBucketName(this, 'Failures', failuresBucket)
    const bucket = new Bucket(this, 'Failures', {
      ...(this.key
        ? { encryption: BucketEncryption.KMS, encryptionKey: this.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      ...bucketKeptBy(settings),
      lifecycleRules: [{ expiration: Duration.days(90), noncurrentVersionExpiration: Duration.days(7) }],
    })
    acknowledge(
      bucket,
      'AwsSolutions-S1',
      'Lambda writes and the redrive task reads; a trail of data events shows who else does, a second bucket would not.',
    )
    return bucket
  }

  private serviceSecret(settings: Settings): ISecret {
    const { serviceSecretArn, secretReplicaRegion } = settings
    if (serviceSecretArn !== null) return Secret.fromSecretCompleteArn(this, 'ServiceSecret', serviceSecretArn)
    const secret = new Secret(this, 'ServiceSecret', {
      description:
        'All keys of the service are derived from this. Change it by docs/runbooks/secret-rotation.md alone.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(this.key && { encryptionKey: this.key }),
      ...(secretReplicaRegion !== null && { replicaRegions: [{ region: secretReplicaRegion }] }),
      removalPolicy: keptBy(settings),
    })
    acknowledge(
      secret,
      'AwsSolutions-SMG4',
      'What it has sealed is sealed anew when it changes, so an operator starts that.',
    )
    return secret
  }
}

import { Duration } from 'aws-cdk-lib'
import {
  AttributeType,
  Billing,
  type ITableV2,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import { type IStream, Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis'
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct, type IConstruct } from 'constructs'
import { keptBy } from './kept-by.ts'
import type { Settings } from './settings.ts'

/**
 * What the service keeps: the table, the flow stream, failed batches, and the secret all keys are derived from. What a
 * deployment says is there already is used as it is, and none is made.
 */
export class Storage extends Construct {
  readonly table: ITableV2
  readonly flows: IStream
  readonly failures: IBucket
  readonly secret: ISecret

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id)
    this.flows = this.flowStream(settings)
    this.failures = this.failuresBucket(settings)
    this.secret = this.serviceSecret(settings)
    this.table = this.mainTable(settings)
    this.makeTableAfter(this.flows, this.failures, this.secret)
  }

  /**
   * The table is protected against deletion, also against that of a stack whose creation failed: it is made when
   * everything that can fail is there.
   */
  makeTableAfter(...earlier: IConstruct[]): void {
    if (this.table instanceof TableV2) this.table.node.addDependency(...earlier)
  }

  private mainTable(settings: Settings): ITableV2 {
    const { tableStreamArn, keepData } = settings
    if (tableStreamArn !== null) {
      const tableArn = tableStreamArn.replace(/\/stream\/.*$/, '')
      return TableV2.fromTableAttributes(this, 'Table', { tableArn, tableStreamArn })
    }
    return new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'ttl',
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: keepData,
      removalPolicy: keptBy(settings),
    })
  }

  private flowStream(settings: Settings): IStream {
    const { flowStreamArn, flowStreamShards } = settings
    if (flowStreamArn !== null) return Stream.fromStreamArn(this, 'Flows', flowStreamArn)
    return new Stream(this, 'Flows', {
      ...(flowStreamShards === 'on-demand'
        ? { streamMode: StreamMode.ON_DEMAND }
        : { streamMode: StreamMode.PROVISIONED, shardCount: flowStreamShards }),
      // A day is free; what a consumer cannot store in that time lies in the failure bucket.
      retentionPeriod: Duration.hours(24),
      encryption: StreamEncryption.MANAGED,
      removalPolicy: keptBy(settings),
    })
  }

  private failuresBucket(settings: Settings): IBucket {
    const { failuresBucket } = settings
    if (failuresBucket !== null) return Bucket.fromBucketName(this, 'Failures', failuresBucket)
    return new Bucket(this, 'Failures', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      removalPolicy: keptBy(settings),
      lifecycleRules: [{ expiration: Duration.days(90), noncurrentVersionExpiration: Duration.days(7) }],
    })
  }

  private serviceSecret(settings: Settings): ISecret {
    const { serviceSecretArn, secretReplicaRegion } = settings
    if (serviceSecretArn !== null) return Secret.fromSecretCompleteArn(this, 'ServiceSecret', serviceSecretArn)
    return new Secret(this, 'ServiceSecret', {
      description:
        'All keys of the service are derived from this. Change it by docs/runbooks/secret-rotation.md alone.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(secretReplicaRegion !== null && { replicaRegions: [{ region: secretReplicaRegion }] }),
      removalPolicy: keptBy(settings),
    })
  }
}

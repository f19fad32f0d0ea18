import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis'
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { Settings } from './settings.ts'

/** What the service keeps: the table, the flow stream, failed batches, and the secret all keys are derived from. */
export class Storage extends Construct {
  readonly table: TableV2
  readonly flows: Stream
  readonly failures: Bucket
  readonly secret: Secret

  constructor(scope: Construct, id: string, { flowStreamShards }: Settings) {
    super(scope, id)
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'ttl',
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    this.flows = new Stream(this, 'Flows', {
      ...(flowStreamShards === 'on-demand'
        ? { streamMode: StreamMode.ON_DEMAND }
        : { streamMode: StreamMode.PROVISIONED, shardCount: flowStreamShards }),
      // A day is free; what a consumer cannot store in that time lies in the failure bucket.
      retentionPeriod: Duration.hours(24),
      encryption: StreamEncryption.MANAGED,
    })
    this.failures = new Bucket(this, 'Failures', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [{ expiration: Duration.days(90), noncurrentVersionExpiration: Duration.days(7) }],
    })
    this.secret = new Secret(this, 'ServiceSecret', {
      description: 'Keys of tokens, cursors and ingest tokens are derived from this. Changing it ends all of them.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }
}

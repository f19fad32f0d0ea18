import { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Stream } from 'aws-cdk-lib/aws-kinesis'
import { Key } from 'aws-cdk-lib/aws-kms'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { Data } from './data-stack.ts'
import { LookUps } from './look-ups.ts'
import type { Storage } from './storage.ts'

/** References from the service stack to the resources of the data stack, with one look-up per value. */
export class StoredData extends Construct implements Data {
  readonly storage: Storage
  readonly functionLogs
  readonly accessLogs

  constructor(scope: Construct, id: string, { storage, functionLogs, accessLogs }: Data) {
    super(scope, id)
    const lookUps = new LookUps(this, 'LookUps')
    const once = (name: string, value: string) => lookUps.once(name, value)
    const bucket = (name: string, { bucketArn, bucketName }: IBucket) =>
      Bucket.fromBucketAttributes(this, name, {
        bucketArn: lookUps.reference(`${name}BucketArn`, bucketArn),
        bucketName: once(`${name}BucketName`, bucketName),
      })
    const { table, flows, secretKey, sealKey, key } = storage
    this.storage = {
      // Looks up the name separately. Otherwise, the CDK would derive the name from the ARN with intrinsic functions at each use.
      table: Object.assign(
        TableV2.fromTableAttributes(this, 'Table', {
          tableArn: lookUps.reference('TableArn', table.tableArn),
          tableStreamArn: lookUps.reference('TableStreamArn', String(table.tableStreamArn)),
        }),
        { tableName: once('TableName', table.tableName) },
      ),
      flows: Object.assign(Stream.fromStreamArn(this, 'Flows', lookUps.reference('FlowStreamArn', flows.streamArn)), {
        streamName: once('FlowStreamName', flows.streamName),
      }),
      failures: bucket('Failures', storage.failures),
      signingSecret: Secret.fromSecretCompleteArn(
        this,
        'SigningSecret',
        once('SigningSecretArn', storage.signingSecret.secretArn),
      ),
      secretKey: Key.fromKeyArn(this, 'SecretKey', once('SecretKeyArn', secretKey.keyArn)),
      sealed: bucket('Sealed', storage.sealed),
      sealKey: Key.fromKeyArn(this, 'SealKey', once('SealKeyArn', sealKey.keyArn)),
      archive: bucket('Archive', storage.archive),
      key: key && Key.fromKeyArn(this, 'Key', once('KeyArn', key.keyArn)),
    }
    const { logGroupName } = functionLogs
    this.functionLogs = LogGroup.fromLogGroupName(this, 'FunctionLogs', once('FunctionLogsName', logGroupName))
    const accessLogsName = once('AccessLogsName', accessLogs.logGroupName)
    this.accessLogs = LogGroup.fromLogGroupName(this, 'AccessLogs', accessLogsName)
  }
}

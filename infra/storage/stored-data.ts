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

/** The resources of the data stack as the service refers to them: with one look-up for each of their values. */
export class StoredData extends Construct implements Data {
  readonly storage: Storage
  readonly functionLogs
  readonly accessLogs
  readonly #lookUps: LookUps

  constructor(scope: Construct, id: string, { storage, functionLogs, accessLogs }: Data) {
    super(scope, id)
    this.#lookUps = new LookUps(this, 'LookUps')
    const once = (name: string, value: string) => this.#lookUps.once(name, value)
    const { table, flows, secret, sealKey, key } = storage
    this.storage = {
      // A look-up of its own: the CDK would derive the name from the ARN at each use, by functions of CloudFormation.
      table: Object.assign(
        TableV2.fromTableAttributes(this, 'Table', {
          tableArn: this.#lookUps.reference('TableArn', table.tableArn),
          tableStreamArn: this.#lookUps.reference('TableStreamArn', String(table.tableStreamArn)),
        }),
        { tableName: once('TableName', table.tableName) },
      ),
      flows: Object.assign(
        Stream.fromStreamArn(this, 'Flows', this.#lookUps.reference('FlowStreamArn', flows.streamArn)),
        {
          streamName: once('FlowStreamName', flows.streamName),
        },
      ),
      failures: this.#bucket('Failures', storage.failures),
      secret: Secret.fromSecretCompleteArn(this, 'ServiceSecret', once('ServiceSecretArn', secret.secretArn)),
      sealed: this.#bucket('Sealed', storage.sealed),
      sealKey: Key.fromKeyArn(this, 'SealKey', once('SealKeyArn', sealKey.keyArn)),
      key: key && Key.fromKeyArn(this, 'Key', once('KeyArn', key.keyArn)),
    }
    const { logGroupName } = functionLogs
    this.functionLogs = LogGroup.fromLogGroupName(this, 'FunctionLogs', once('FunctionLogsName', logGroupName))
    const accessLogsName = once('AccessLogsName', accessLogs.logGroupName)
    this.accessLogs = LogGroup.fromLogGroupName(this, 'AccessLogs', accessLogsName)
  }

  #bucket(id: string, { bucketArn, bucketName }: IBucket): IBucket {
    return Bucket.fromBucketAttributes(this, id, {
      bucketArn: this.#lookUps.reference(`${id}BucketArn`, bucketArn),
      bucketName: this.#lookUps.once(`${id}BucketName`, bucketName),
    })
  }
}

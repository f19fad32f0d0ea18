import { Stack } from 'aws-cdk-lib'
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { stackIdSuffix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { removalPolicyOf } from './data-retention.ts'
import { addStorage, createTableAfter, type Storage } from './storage.ts'

export type Data = {
  readonly storage: Storage
  readonly functionLogs: ILogGroup
  /** Access log of the API, one line per request. */
  readonly accessLogs: ILogGroup
}

/** Stack with all resources that contain data and no others, so that other stacks can be deleted and deployed again. */
export class DataStack extends Stack implements Data {
  readonly storage: Storage
  readonly functionLogs: ILogGroup
  readonly accessLogs: ILogGroup

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { description: 'Network Access Administration: data', terminationProtection: settings.keepData })
    this.storage = addStorage(this, settings)
    const retention = {
      retention: settings.logGroupDays,
      removalPolicy: removalPolicyOf(settings),
      ...(this.storage.key && { encryptionKey: this.storage.key }),
    }
    this.functionLogs = new LogGroup(this, 'FunctionLogs', retention)
    // Uses a prefix for which CloudWatch needs only one rule for all APIs. Other names would fill up the account's resource policy, whose
    // size is limited. The suffix differs per stack, so that a retained log group causes no name conflict.
    const logGroupName = `/aws/vendedlogs/apis/${settings.prefix}-${stackIdSuffix(this)}`
    this.accessLogs = new LogGroup(this, 'AccessLogs', { ...retention, logGroupName })
    createTableAfter(this.storage.table, this.functionLogs, this.accessLogs)
  }
}

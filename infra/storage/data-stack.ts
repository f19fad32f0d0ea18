import { Stack } from 'aws-cdk-lib'
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { stackIdSuffix } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'
import { keptBy } from './kept-by.ts'
import { addStorage, makeTableAfter, type Storage } from './storage.ts'

/** The resources of the data stack that other stacks use. */
export type Data = {
  readonly storage: Storage
  /** Log lines of all functions, for the operator. */
  readonly functionLogs: ILogGroup
  /** Access log of the API, one line per request. */
  readonly accessLogs: ILogGroup
}

/** Stack with all resources that hold data, and no other, so that the other stacks can be deleted and deployed again. */
export class DataStack extends Stack implements Data {
  readonly storage: Storage
  readonly functionLogs: ILogGroup
  readonly accessLogs: ILogGroup

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { description: 'Network Access Administration: data', terminationProtection: settings.keepData })
    this.storage = addStorage(this, settings)
    const kept = {
      retention: settings.logGroupDays,
      removalPolicy: keptBy(settings),
      ...(this.storage.key && { encryptionKey: this.storage.key }),
    }
    this.functionLogs = new LogGroup(this, 'FunctionLogs', kept)
    // CloudWatch lets API Gateway write below this name by one rule for all; other names fill the account's policy. The end is
    // the stack's own, so that what a deleted stack has left is in no one's way.
    const logGroupName = `/aws/vendedlogs/apis/${settings.prefix}-${stackIdSuffix(this)}`
    this.accessLogs = new LogGroup(this, 'AccessLogs', { ...kept, logGroupName })
    makeTableAfter(this.storage.table, this.functionLogs, this.accessLogs)
  }
}

import { Stack } from 'aws-cdk-lib'
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { keptBy } from './kept-by.ts'
import type { Settings } from './settings.ts'
import { Storage } from './storage.ts'

type Props = { settings: Settings }

/** What holds data. Nothing else is in here, so that all else can be deleted and deployed anew beside it. */
export class DataStack extends Stack {
  readonly storage: Storage
  /** What the functions write for the operator. */
  readonly functionLogs: ILogGroup
  /** One line a request, of the API. */
  readonly accessLogs: ILogGroup

  constructor(scope: Construct, id: string, { settings }: Props) {
    super(scope, id, {
      description: 'Network Access Administration: data',
      terminationProtection: settings.keepData,
    })
    this.storage = new Storage(this, 'Storage', settings)
    const logGroup = (name: string) =>
      new LogGroup(this, name, { retention: RetentionDays.THREE_MONTHS, removalPolicy: keptBy(settings) })
    this.functionLogs = logGroup('FunctionLogs')
    this.accessLogs = logGroup('AccessLogs')
    this.storage.makeTableAfter(this.functionLogs, this.accessLogs)
  }
}

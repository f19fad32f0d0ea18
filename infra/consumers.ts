import { Duration } from 'aws-cdk-lib'
import {
  type Code,
  FilterCriteria,
  FilterRule,
  Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource, KinesisEventSource, S3OnFailureDestination } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Construct } from 'constructs'
import { functionSettings, type Shared } from './function-settings.ts'
import type { Roles } from './roles.ts'
import type { Storage } from './storage.ts'

type Props = { storage: Storage; roles: Roles; shared: Shared; code: Code }

/** What reads the streams. A batch that keeps failing is cut down to its bad record, which lands whole in the bucket. */
export class Consumers extends Construct {
  constructor(scope: Construct, id: string, { storage, roles, shared, code }: Props) {
    super(scope, id)
    const consumer = (name: string, file: string) =>
      new LambdaFunction(this, name, {
        ...functionSettings(shared, code, file),
        role: roles.consumer(name),
        timeout: Duration.seconds(60),
      })
    const delivery = {
      batchSize: 100,
      startingPosition: StartingPosition.TRIM_HORIZON,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 10,
      maxRecordAge: Duration.hours(23),
      parallelizationFactor: 1,
      onFailure: new S3OnFailureDestination(storage.failures),
    }
    const commits = FilterCriteria.filter({
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: { NewImage: { kind: { S: FilterRule.isEqual('commit') } } },
    })
    for (const [name, file] of [
      ['WriteChangeLog', 'streams/write-change-log.ts'],
      ['FollowUp', 'streams/follow-up.ts'],
    ] as const) {
      consumer(name, file).addEventSource(new DynamoEventSource(storage.table, { ...delivery, filters: [commits] }))
    }
    consumer('StoreFlowLogs', 'streams/store-flow-logs.ts').addEventSource(
      new KinesisEventSource(storage.flows, delivery),
    )
  }
}

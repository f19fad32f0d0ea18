import { Duration } from 'aws-cdk-lib'
import {
  type Alias,
  CfnEventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IEventSource,
  type IFunction,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource, KinesisEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Construct, type IDependable } from 'constructs'
import type { Consumer } from '../roles/duties.ts'
import type { Roles } from '../roles/roles.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'
import { currentFunction, fileOf, type Shared } from './current-function.ts'
import { keptIn } from './kept-in.ts'
import { reserved } from './reserved.ts'

export type ConsumedStream = { consumer: IFunction; alias: Alias; mappingId: string }

const ofItems = (eventName: string, image: string, kind: string) =>
  FilterCriteria.filter({
    eventName: FilterRule.isEqual(eventName),
    dynamodb: { [image]: { kind: { S: FilterRule.isEqual(kind) } } },
  })

/** Consumers of the streams. A batch that keeps failing is cut down to its bad record, which the bucket keeps. */
export function consumeStreams(
  scope: Construct,
  storage: Storage,
  roles: Roles,
  shared: Shared,
  { changeConcurrency, flowConcurrency }: Settings,
  check: IDependable,
): ConsumedStream[] {
  const consumers = new Construct(scope, 'Consumers')
  consumers.node.addDependency(check)
  const consume = (duty: Consumer, source: IEventSource & { eventSourceMappingId: string }) => {
    const name = duty.charAt(0).toUpperCase() + duty.slice(1)
    const alias = currentFunction(consumers, name, shared, `streams/${fileOf(name)}`, {
      role: roles.of[duty],
      timeout: Duration.seconds(60),
      // No crowd of requests takes what the streams are read with, and no backlog what requests are answered with.
      reservedConcurrentExecutions: reserved(duty === 'storeFlowLogs' ? flowConcurrency : changeConcurrency),
    })
    alias.addEventSource(source)
    for (const mapping of alias.lambda.node.findAll()) {
      if (!CfnEventSourceMapping.isCfnEventSourceMapping(mapping)) continue
      // Under another name, as of a table that is called otherwise, it would be made anew beside the old one, which Lambda refuses.
      mapping.overrideLogicalId(`${name}Mapping`)
      mapping.functionName = alias.functionArn
    }
    return { consumer: alias.lambda, alias, mappingId: source.eventSourceMappingId }
  }
  const delivery = {
    batchSize: 100,
    startingPosition: StartingPosition.TRIM_HORIZON,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    retryAttempts: 10,
    // The streams keep a record for 24 hours: before it is gone, it lies in the bucket.
    maxRecordAge: Duration.hours(23),
    parallelizationFactor: 1,
    onFailure: keptIn(storage.failures),
    metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
  }
  const commits = ofItems('INSERT', 'NewImage', 'commit')
  const ofTable = (...filters: Record<string, unknown>[]) =>
    new DynamoEventSource(storage.table, { ...delivery, filters })
  return [
    consume('writeChangeLog', ofTable(commits)),
    // The gateway of an ended authorization is notified, whoever ended it.
    consume('followUp', ofTable(commits, ofItems('REMOVE', 'OldImage', 'authorization'))),
    // The reports of one authorization keep their order all the same, and no flow has several.
    consume('storeFlowLogs', new KinesisEventSource(storage.flows, { ...delivery, parallelizationFactor: 4 })),
  ]
}

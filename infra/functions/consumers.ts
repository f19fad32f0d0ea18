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
import { currentFunction, type FunctionDefaults, fileOf } from './current-function.ts'
import { failureDestination } from './failure-destination.ts'
import { toReservation } from './reserved-concurrency.ts'

export type ConsumedStream = { consumer: IFunction; alias: Alias; mappingId: string }

const itemFilter = (eventName: string, image: string, kind: string) =>
  FilterCriteria.filter({
    eventName: FilterRule.isEqual(eventName),
    dynamodb: { [image]: { kind: { S: FilterRule.isEqual(kind) } } },
  })

/** Creates the stream consumers. A failing batch is bisected down to the failing record, which goes to the failure bucket. */
export function consumeStreams(
  scope: Construct,
  storage: Storage,
  roles: Roles,
  defaults: FunctionDefaults,
  { changeConcurrency, flowConcurrency }: Settings,
  check: IDependable,
): ConsumedStream[] {
  const consumers = new Construct(scope, 'Consumers')
  consumers.node.addDependency(check)
  const consume = (duty: Consumer, source: IEventSource & { eventSourceMappingId: string }) => {
    const name = duty.charAt(0).toUpperCase() + duty.slice(1)
    const alias = currentFunction(consumers, name, defaults, `streams/${fileOf(name)}`, {
      role: roles.of[duty],
      timeout: Duration.seconds(60),
      // Reserves concurrency, so that request spikes and stream backlogs cannot starve each other.
      reservedConcurrentExecutions: toReservation(duty === 'storeFlowLogs' ? flowConcurrency : changeConcurrency),
    })
    alias.addEventSource(source)
    for (const mapping of alias.lambda.node.findAll()) {
      if (!CfnEventSourceMapping.isCfnEventSourceMapping(mapping)) continue
      // Sets a fixed logical id, because the CDK's id contains the source's name. After a rename, Lambda would reject a second mapping.
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
    // Stays below the streams' retention of 24 hours, so that a record reaches the bucket before it expires.
    maxRecordAge: Duration.hours(23),
    parallelizationFactor: 1,
    onFailure: failureDestination(storage.failures),
    metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
  }
  const commits = itemFilter('INSERT', 'NewImage', 'commit')
  const fromTable = (...filters: Record<string, unknown>[]) =>
    new DynamoEventSource(storage.table, { ...delivery, filters })
  return [
    consume('writeChangeLog', fromTable(commits)),
    // Includes deleted authorizations, even those deleted by TTL, because follow-up work notifies their gateways.
    consume('followUp', fromTable(commits, itemFilter('REMOVE', 'OldImage', 'authorization'))),
    // Uses parallel lanes, which keep the order of one authorization's reports. Each flow belongs to one authorization.
    consume('storeFlowLogs', new KinesisEventSource(storage.flows, { ...delivery, parallelizationFactor: 4 })),
  ]
}

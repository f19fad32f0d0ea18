import { Duration } from 'aws-cdk-lib'
import {
  type Alias,
  CfnEventSourceMapping,
  type Code,
  FilterCriteria,
  FilterRule,
  type IEventSource,
  Function as LambdaFunction,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource, KinesisEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Construct } from 'constructs'
import type { Consumer } from '../roles/duties.ts'
import type { Roles } from '../roles/roles.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { keptIn } from './kept-in.ts'
import { live } from './live.ts'
import { reserved } from './reserved.ts'

type Props = { storage: Storage; roles: Roles; shared: Shared; code: Code; settings: Settings }

/**
 * What each mapping is called in the template, whatever the table and the stack are called: under another name it would be
 * made anew, beside the old one that feeds the same function, which Lambda refuses.
 */
const mappingNames: Record<Consumer, string> = {
  writeChangeLog: 'ConsumersWriteChangeLogDynamoDBEventSourceNetworkAccessStorageTable19801783D4A1F6EA',
  followUp: 'ConsumersFollowUpDynamoDBEventSourceNetworkAccessStorageTable198017831F8460AD',
  storeFlowLogs: 'ConsumersStoreFlowLogsKinesisEventSourceNetworkAccessStorageFlows7EEBA5C389F5163E',
}

/** A consumer with its version in force, and the id of the mapping that feeds it. */
export type ConsumedStream = { consumer: LambdaFunction; alias: Alias; mappingId: string }

/** What reads the streams. A batch that keeps failing is cut down to its bad record, which lands whole in the bucket. */
export class Consumers extends Construct {
  readonly streams: ConsumedStream[] = []

  constructor(scope: Construct, id: string, { storage, roles, shared, code, settings }: Props) {
    super(scope, id)
    const { changeConcurrency, flowConcurrency } = settings
    const consume = (
      name: string,
      file: string,
      duty: Consumer,
      source: IEventSource & { eventSourceMappingId: string },
    ) => {
      const consumer = new LambdaFunction(this, name, {
        ...functionSettings(shared, code, file),
        role: roles.of[duty],
        timeout: Duration.seconds(60),
        // No crowd of requests takes what the streams are read with, and no backlog what requests are answered with.
        reservedConcurrentExecutions: reserved(duty === 'storeFlowLogs' ? flowConcurrency : changeConcurrency),
      })
      const alias = live(consumer, shared.loaded)
      alias.addEventSource(source)
      for (const mapping of consumer.node.findAll()) {
        if (!CfnEventSourceMapping.isCfnEventSourceMapping(mapping)) continue
        mapping.overrideLogicalId(mappingNames[duty])
        mapping.functionName = alias.functionArn
      }
      this.streams.push({ consumer, alias, mappingId: source.eventSourceMappingId })
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
    const commits = FilterCriteria.filter({
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: { NewImage: { kind: { S: FilterRule.isEqual('commit') } } },
    })
    // Whoever ended an authorization, its gateway is told.
    const endedAuthorizations = FilterCriteria.filter({
      eventName: FilterRule.isEqual('REMOVE'),
      dynamodb: { OldImage: { kind: { S: FilterRule.isEqual('authorization') } } },
    })
    const ofCommits = (more: Record<string, unknown>[] = []) =>
      new DynamoEventSource(storage.table, { ...delivery, filters: [commits, ...more] })
    // The reports of one authorization keep their order all the same, and no flow has several.
    const reported = new KinesisEventSource(storage.flows, { ...delivery, parallelizationFactor: 4 })
    consume('WriteChangeLog', 'streams/write-change-log.ts', 'writeChangeLog', ofCommits())
    consume('FollowUp', 'streams/follow-up.ts', 'followUp', ofCommits([endedAuthorizations]))
    consume('StoreFlowLogs', 'streams/store-flow-logs.ts', 'storeFlowLogs', reported)
  }
}

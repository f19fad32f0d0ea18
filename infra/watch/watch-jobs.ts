import { Duration } from 'aws-cdk-lib'
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { Scheduled } from '../functions/schedules.ts'
import {
  above,
  ageOf,
  fiveMinutes,
  mappingMetric,
  noDataMeansOk,
  type OwnMetric,
  type Watch,
  watchSum,
} from './watch.ts'

/** The pulse gives every consumer a record a minute, so one that reads nothing is dead. */
const watchConsumer = (stream: ConsumedStream): Watch[] => {
  const name = stream.consumer.node.id
  return [
    {
      id: `${name}Behind`,
      metric: ageOf(stream),
      when: above(Duration.minutes(5).toMilliseconds(), 2),
      what: `${name} is more than five minutes behind its stream, or does not run at all.`,
      runbook: 'consumer-behind.md',
      toldBy: null,
    },
    {
      id: `${name}Off`,
      metric: mappingMetric(stream, 'PolledEventCount'),
      when: noDataMeansOk(3),
      what: `Nothing is read for ${name}: its event source mapping is off, or has no right to read.`,
      runbook: 'mapping-off.md',
      toldBy: null,
    },
    {
      id: `${name}Failed`,
      metric: mappingMetric(stream, 'OnFailureDestinationDeliveredEventCount'),
      when: above(0, 1),
      what: `${name} has given up records; they are kept.`,
      runbook: 'failed-batches.md',
      toldBy: `${name}Off`,
    },
  ]
}

const watchSchedule = ({ run, every }: Scheduled): Watch[] => {
  const name = run.node.id
  const isOften = every.toSeconds() <= fiveMinutes.toSeconds()
  const period = isOften ? fiveMinutes : every
  const runbook = name === 'Pulse' ? 'no-pulse.md' : 'schedules.md'
  return [
    {
      id: `${name}Failing`,
      // A period without a run would end the row of failures.
      metric: run.metricErrors({ period }),
      when: above(0, 3),
      what: `The schedule ${name} keeps failing.`,
      runbook,
      toldBy: `${name}NotRunning`,
    },
    {
      id: `${name}NotRunning`,
      metric: run.metricInvocations({ period }),
      when: noDataMeansOk(isOften ? 3 : 2),
      // A run a period can fall just beside one of them.
      what: `The schedule ${name} does not run.`,
      runbook,
      toldBy: null,
    },
  ]
}

/** A run of 2 hours still stands when the next one is due. */
const longestRun = Duration.hours(2)

/** Watches of consumers and schedules, which no request waits for. */
export function watchJobs(
  streams: ConsumedStream[],
  scheduled: Scheduled[],
  own: OwnMetric,
  stoppedSeals: IMetric,
): Watch[] {
  const functions = [...streams.map(({ consumer }) => consumer), ...scheduled.map(({ run }) => run)]
  return [
    ...streams.flatMap(watchConsumer),
    ...scheduled.flatMap(watchSchedule),
    {
      id: 'SyncRunsStuck',
      metric: own('sync_run_age_ms', 'Maximum').with({ period: fiveMinutes }),
      when: above(longestRun.toMilliseconds(), 3),
      what: 'A sync run of a directory or an inventory has been under way for more than two hours.',
      runbook: 'sync-runs.md',
      toldBy: 'SyncNotRunning',
    },
    ...watchSum(functions, 'Throttles', 'Throttled runs', {
      id: 'JobsThrottled',
      when: above(0, 3),
      what: 'Lambda refuses to run consumers or schedules.',
      runbook: 'throttles.md',
      toldBy: 'PulseNotRunning',
    }),
    ...watchSum(functions, 'DestinationDeliveryFailures', 'Failed deliveries', {
      id: 'DeliveriesLost',
      when: above(0, 1),
      what: 'A failed batch or run could not be kept.',
      runbook: 'lost-deliveries.md',
      toldBy: 'PulseNotRunning',
    }),
    {
      id: 'SealStopped',
      metric: stoppedSeals,
      when: above(0, 1),
      what: 'The log of an account is not sealed, because it does not hold: an entry, a commit record, a tile or a checkpoint is not what it was.',
      runbook: 'seal-stopped.md',
      toldBy: 'SealLogsNotRunning',
    },
  ]
}

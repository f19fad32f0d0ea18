import { Duration } from 'aws-cdk-lib'
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { ScheduledFunction } from '../functions/schedules.ts'
import {
  above,
  atZero,
  fiveMinutes,
  iteratorAge,
  mappingMetric,
  type ServiceMetric,
  type Watch,
  watchSum,
} from './watch.ts'

/** Watches a consumer. The pulse writes a record for each consumer every minute, so a consumer without records is not running. */
const watchConsumer = (stream: ConsumedStream): Watch[] => {
  const name = stream.consumer.node.id
  return [
    {
      id: `${name}Behind`,
      metric: iteratorAge(stream),
      when: above(Duration.minutes(5).toMilliseconds(), 2),
      text: `The consumer ${name} has been more than 5 minutes behind its stream, or has not run at all, for 10 minutes. Its data is late; nothing is lost for 24 hours.`,
      runbook: 'consumer-behind.md',
      coveredBy: null,
    },
    {
      id: `${name}Off`,
      metric: mappingMetric(stream, 'PolledEventCount'),
      when: atZero(3),
      text: `The consumer ${name} has read nothing for 15 minutes: its event source mapping is disabled, deleted or not authorized. Unread records are lost after 24 hours.`,
      runbook: 'mapping-off.md',
      coveredBy: null,
    },
    {
      id: `${name}Failed`,
      metric: mappingMetric(stream, 'OnFailureDestinationDeliveredEventCount'),
      when: above(0, 1),
      text: `The consumer ${name} has given up records in the last 5 minutes. They are stored in the bucket of failed batches; redrive them.`,
      runbook: 'failed-batches.md',
      coveredBy: `${name}Off`,
    },
  ]
}

const watchSchedule = ({ run, every }: ScheduledFunction): Watch[] => {
  const name = run.node.id
  const isOften = every.toSeconds() <= fiveMinutes.toSeconds()
  const period = isOften ? fiveMinutes : every
  const runbook = name === 'Pulse' ? 'no-pulse.md' : 'schedules.md'
  return [
    {
      id: `${name}Failing`,
      // Uses a period equal to the run interval, because a period without a run has no errors and would reset the alarm.
      metric: run.metricErrors({ period }),
      when: above(0, 3),
      text: `The schedule ${name} has failed in three consecutive periods of ${period.toMinutes()} minutes. Its work is late.`,
      runbook,
      coveredBy: `${name}NotRunning`,
    },
    {
      id: `${name}NotRunning`,
      metric: run.metricInvocations({ period }),
      when: atZero(isOften ? 3 : 2),
      // Waits for more than one period, because a run can fall just outside a period.
      text: `The schedule ${name} has not run for ${period.toMinutes() * (isOften ? 3 : 2)} minutes. Its work is late.`,
      runbook,
      coveredBy: null,
    },
  ]
}

const longestRun = Duration.hours(2)

export function watchJobs(
  streams: ConsumedStream[],
  scheduled: ScheduledFunction[],
  serviceMetric: ServiceMetric,
  lines: { stoppedSeals: IMetric; stoppedArchives: IMetric; lateHours: IMetric },
): Watch[] {
  const functions = [...streams.map(({ consumer }) => consumer), ...scheduled.map(({ run }) => run)]
  return [
    ...streams.flatMap(watchConsumer),
    ...scheduled.flatMap(watchSchedule),
    {
      id: 'SyncRunsStuck',
      metric: serviceMetric('sync_run_age_ms', 'Maximum').with({ period: fiveMinutes }),
      when: above(longestRun.toMilliseconds(), 3),
      text: 'For 15 minutes a sync run of a directory or a device inventory has been in progress for more than 2 hours. Changes at the provider arrive late.',
      runbook: 'sync-runs.md',
      coveredBy: 'SyncNotRunning',
    },
    ...watchSum(functions, 'Throttles', 'Throttled runs', {
      id: 'JobsThrottled',
      when: above(0, 3),
      text: 'For 15 minutes Lambda has throttled consumers or schedules. Logs and revocations may be late.',
      runbook: 'throttles.md',
      coveredBy: 'PulseNotRunning',
    }),
    ...watchSum(functions, 'DestinationDeliveryFailures', 'Failed deliveries', {
      id: 'DeliveriesLost',
      when: above(0, 1),
      text: 'In the last 5 minutes a failed batch or run could not be stored. Records of a consumer are lost 24 hours after their arrival: act today.',
      runbook: 'lost-deliveries.md',
      coveredBy: 'PulseNotRunning',
    }),
    {
      id: 'SealStopped',
      metric: lines.stoppedSeals,
      when: above(0, 1),
      text: 'In the last 5 minutes the sealing of a log has stopped: an entry, a commit record, a tile or a checkpoint contradicts the others. New entries have no proof until this is solved.',
      runbook: 'seal-stopped.md',
      coveredBy: 'SealLogsNotRunning',
    },
    {
      id: 'ArchiveStopped',
      metric: lines.stoppedArchives,
      when: above(0, 1),
      text: 'In the last 5 minutes the flush of an account has stopped: entries contradict their sealed log, or a file differs from the stored one. Its hours are not archived until this is solved.',
      runbook: 'archive.md',
      coveredBy: 'FlushArchiveNotRunning',
    },
    {
      id: 'ArchiveBehind',
      metric: lines.lateHours,
      when: above(0, 1),
      text: 'An hour of an account has not been flushed to the archive although it ended more than 3 hours ago. Flow reports are lost 14 days after their arrival.',
      runbook: 'archive.md',
      coveredBy: 'FlushArchiveNotRunning',
    },
  ]
}

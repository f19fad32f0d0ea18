import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as Invoke } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Duty } from '../roles/duties.ts'
import type { Roles } from '../roles/roles.ts'
import type { Storage } from '../storage/storage.ts'
import { currentFunction, type FunctionDefaults, fileOf } from './current-function.ts'
import { failureDestination } from './failure-destination.ts'

const minute = Duration.minutes(1)
const quarter = Duration.minutes(15)
const halfHour = Duration.minutes(30)

type PlannedSchedule = { duty: Duty; every: Duration; description: string; timeout?: Duration; memorySize?: number }

const schedules: Record<string, PlannedSchedule> = {
  Expire: { duty: 'expire', every: minute, description: 'Deletes expired tokens' },
  DeleteDueAccounts: { duty: 'deleteAccounts', every: minute, description: 'Deletes accounts whose deletion is due' },
  Pulse: { duty: 'pulse', every: minute, description: 'Sends a pulse through API, table and streams' },
  RotateSigningSecret: {
    duty: 'rotateSecret',
    every: Duration.days(1),
    description: 'Replaces the signing secret when it is due',
  },
  // Keeps the timeout shorter than both the lease on a log and the interval.
  SealLogs: {
    duty: 'seal',
    every: Duration.minutes(5),
    description: 'Seals the logs of accounts',
    timeout: Duration.minutes(4),
  },
  FlushArchive: {
    duty: 'archive',
    every: Duration.minutes(5),
    description: 'Flushes due hours of the logs to the archive',
    // Exceeds the interval. The lease on an account prevents two invocations from flushing the same account.
    timeout: quarter,
    // Exceeds the 700 MB that a flush uses (R14). The CPU, which compresses the files, grows with the memory.
    memorySize: 3_008,
  },
  RenewLocks: {
    duty: 'renewLocks',
    every: Duration.hours(1),
    description: 'Renews the locks of the sealed logs once a year',
    timeout: quarter,
  },
  Sync: {
    duty: 'sync',
    every: minute,
    description: 'Starts due sync runs and continues running ones',
    // Exceeds the 12 minutes that one step of a run can take. The run's lease prevents two invocations from continuing the same run.
    timeout: quarter,
  },
  PruneVersions: {
    duty: 'pruneVersions',
    every: Duration.hours(6),
    description: 'Deletes function versions that no rollback needs',
    timeout: quarter,
  },
  CompareLimits: { duty: 'compareLimits', every: halfHour, description: 'Mails administrators about exceeded limits' },
  MailSyncErrors: { duty: 'mailSyncErrors', every: halfHour, description: 'Mails administrators about failed syncs' },
}

export type ScheduledFunction = { run: IFunction; every: Duration }

export function addSchedules(
  scope: Construct,
  storage: Storage,
  roles: Roles,
  defaults: FunctionDefaults,
): ScheduledFunction[] {
  const schedulesScope = new Construct(scope, 'Schedules')
  return Object.entries(schedules).map(
    ([name, { duty, every, description, timeout = Duration.seconds(60), memorySize }]) => {
      const file = `schedules/${fileOf(name)}`
      const alias = currentFunction(
        schedulesScope,
        name,
        defaults,
        file,
        { role: roles.of[duty], timeout, ...(memorySize && { memorySize }) },
        {
          // Turns off retries, because the next scheduled run catches up.
          retryAttempts: 0,
          maxEventAge: minute,
          onFailure: failureDestination(storage.failures),
        },
      )
      const targets = [new Invoke(alias, { retryAttempts: 0 })]
      new Rule(schedulesScope, `${name}Rule`, { description: description, schedule: Schedule.rate(every), targets })
      return { run: alias.lambda, every }
    },
  )
}

import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as Invoke } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Duty } from '../roles/duties.ts'
import type { Roles } from '../roles/roles.ts'
import type { Storage } from '../storage/storage.ts'
import { currentFunction, fileOf, type Shared } from './current-function.ts'
import { keptIn } from './kept-in.ts'

const minute = Duration.minutes(1)
const quarter = Duration.minutes(15)
const halfHour = Duration.minutes(30)

type Planned = { duty: Duty; every: Duration; what: string; timeout?: Duration }

const schedules: Record<string, Planned> = {
  Expire: { duty: 'expire', every: minute, what: 'Deletes tokens that have ended' },
  DeleteDueAccounts: { duty: 'deleteAccounts', every: minute, what: 'Deletes accounts that are due' },
  Pulse: { duty: 'pulse', every: minute, what: 'A sign of life through API, table and streams' },
  RotateSigningSecret: {
    duty: 'rotateSecret',
    every: Duration.days(1),
    what: 'Replaces the signing secret when it is due',
  },
  // The timeout is shorter than a log's lease and than the interval.
  SealLogs: {
    duty: 'seal',
    every: Duration.minutes(5),
    what: 'Seals the logs of accounts',
    timeout: Duration.minutes(4),
  },
  RenewLocks: {
    duty: 'renewLocks',
    every: Duration.hours(1),
    what: 'Renews the locks of the sealed logs, once a year each',
    timeout: quarter,
  },
  Sync: {
    duty: 'sync',
    every: minute,
    what: 'Begins sync runs that are due, and goes on with those under way',
    // A step of a run takes up to 12 minutes; the lease of the run keeps invocations apart.
    timeout: quarter,
  },
  PruneVersions: {
    duty: 'pruneVersions',
    every: Duration.hours(6),
    what: 'Deletes versions of functions that no rollback needs',
    timeout: quarter,
  },
  CompareLimits: { duty: 'compareLimits', every: halfHour, what: 'Mails about exceeded limits' },
  MailSyncErrors: { duty: 'mailSyncErrors', every: halfHour, what: 'Mails about failing syncs' },
}

export type Scheduled = { run: IFunction; every: Duration }

export function runByTheClock(scope: Construct, storage: Storage, roles: Roles, shared: Shared): Scheduled[] {
  const within = new Construct(scope, 'Schedules')
  return Object.entries(schedules).map(([name, { duty, every, what, timeout = Duration.seconds(60) }]) => {
    const file = `schedules/${fileOf(name)}`
    const alias = currentFunction(
      within,
      name,
      shared,
      file,
      { role: roles.of[duty], timeout },
      {
        // No retries: the next scheduled run catches up.
        retryAttempts: 0,
        maxEventAge: minute,
        onFailure: keptIn(storage.failures),
      },
    )
    const targets = [new Invoke(alias, { retryAttempts: 0 })]
    new Rule(within, `${name}Rule`, { description: what, schedule: Schedule.rate(every), targets })
    return { run: alias.lambda, every }
  })
}

import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as Invoke } from 'aws-cdk-lib/aws-events-targets'
import { type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Duty } from '../roles/duties.ts'
import type { Roles } from '../roles/roles.ts'
import type { Storage } from '../storage/storage.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { keptIn } from './kept-in.ts'
import { live } from './live.ts'

type Props = { storage: Storage; roles: Roles; shared: Shared; code: Code }

/** A function and its interval. */
export type Scheduled = { run: LambdaFunction; every: Duration }

/** What runs by the clock (A31). */
export class Schedules extends Construct {
  readonly all: Scheduled[] = []

  constructor(scope: Construct, id: string, { storage, roles, shared, code }: Props) {
    super(scope, id)
    const scheduled = (
      name: string,
      file: string,
      duty: Duty,
      every: Duration,
      what: string,
      timeout = Duration.seconds(60),
    ) => {
      const made = new LambdaFunction(this, name, {
        ...functionSettings(shared, code, file),
        role: roles.of[duty],
        timeout,
      })
      const alias = live(made, shared.loaded, {
        // The next run does what this one did not.
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
        onFailure: keptIn(storage.failures),
      })
      const rule = {
        description: what,
        schedule: Schedule.rate(every),
        targets: [new Invoke(alias, { retryAttempts: 0 })],
      }
      new Rule(this, `${name}Rule`, rule)
      this.all.push({ run: made, every })
    }
    const minute = Duration.minutes(1)
    scheduled('Expire', 'schedules/expire.ts', 'expire', minute, 'Deletes tokens that have ended')
    scheduled(
      'DeleteDueAccounts',
      'schedules/delete-due-accounts.ts',
      'deleteAccounts',
      minute,
      'Deletes accounts that are due',
    )
    scheduled('Pulse', 'schedules/pulse.ts', 'pulse', minute, 'A sign of life through API, table and streams')
    const fiveMinutes = Duration.minutes(5)
    scheduled(
      'SealLogs',
      'schedules/seal-logs.ts',
      'seal',
      fiveMinutes,
      'Seals the logs of accounts',
      // Shorter than the lease of a log, and than the interval.
      Duration.minutes(4),
    )
    scheduled(
      'RenewLocks',
      'schedules/renew-locks.ts',
      'renewLocks',
      Duration.hours(1),
      'Renews the locks of the sealed logs, once a year each',
      Duration.minutes(15),
    )
    // A step of a run takes up to 12 minutes; the lease of the run keeps invocations apart.
    const sync = 'Begins sync runs that are due, and goes on with those under way'
    scheduled('Sync', 'schedules/sync.ts', 'sync', minute, sync, Duration.minutes(15))
    scheduled(
      'PruneVersions',
      'schedules/prune-versions.ts',
      'pruneVersions',
      Duration.hours(6),
      'Deletes versions of functions that no rollback needs',
      Duration.minutes(15),
    )
    const halfHour = Duration.minutes(30)
    scheduled('CompareLimits', 'schedules/compare-limits.ts', 'compareLimits', halfHour, 'Mails about exceeded limits')
    scheduled(
      'MailSyncErrors',
      'schedules/mail-sync-errors.ts',
      'mailSyncErrors',
      halfHour,
      'Mails about failing syncs',
    )
  }
}

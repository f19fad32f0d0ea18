import { Duration } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type Alias, type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Consumers } from './consumers.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { live } from './live.ts'
import type { Roles } from './roles.ts'

type Props = { consumers: Consumers; roles: Roles; shared: Shared; code: Code }

/** What an operator invokes under IAM to care for the logs and the service secret (docs/runbooks). */
export class Tasks extends Construct {
  readonly redrive: Alias
  readonly verify: Alias
  readonly verifyRows: Alias
  readonly rotateSecret: Alias
  readonly resealSecrets: Alias
  readonly replayCommits: Alias
  readonly indexChangeLog: Alias
  readonly beginSealedLog: Alias

  constructor(scope: Construct, id: string, { consumers, roles, shared, code }: Props) {
    super(scope, id)
    const task = (
      name: string,
      file: string,
      duty:
        | 'redrive'
        | 'verify'
        | 'verifyRows'
        | 'rotateSecret'
        | 'resealSecrets'
        | 'replay'
        | 'indexChangeLog'
        | 'seal',
    ) =>
      live(
        new LambdaFunction(this, name, {
          ...functionSettings(shared, code, file),
          role: roles.of[duty],
          timeout: Duration.minutes(15),
        }),
        shared.loaded,
      )
    this.redrive = task('RedriveFailedBatches', 'tasks/redrive-failed-batches.ts', 'redrive')
    this.verify = task('VerifyChangeLog', 'tasks/verify-change-log.ts', 'verify')
    this.verifyRows = task('VerifyRows', 'tasks/verify-rows.ts', 'verifyRows')
    this.rotateSecret = task('RotateServiceSecret', 'tasks/rotate-service-secret.ts', 'rotateSecret')
    this.resealSecrets = task('ResealSecrets', 'tasks/reseal-secrets.ts', 'resealSecrets')
    this.replayCommits = task('ReplayCommits', 'tasks/replay-commits.ts', 'replay')
    this.indexChangeLog = task('IndexChangeLog', 'tasks/index-change-log.ts', 'indexChangeLog')
    // It does what the sealing function does, and begins a log beside that.
    this.beginSealedLog = task('BeginSealedLog', 'tasks/begin-sealed-log.ts', 'seal')
    for (const role of [roles.of.redrive, roles.of.replay]) {
      role.addToPolicy(
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: consumers.streams.map(({ alias }) => alias.functionArn),
        }),
      )
    }
  }
}

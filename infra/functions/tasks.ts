import { Duration } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Duty } from '../roles/duties.ts'
import type { Roles } from '../roles/roles.ts'
import type { Consumers } from './consumers.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { live } from './live.ts'

type Props = { consumers: Consumers; roles: Roles; shared: Shared; code: Code }

const tasks: Record<string, { file: string; duty: Duty }> = {
  RedriveFailedBatches: { file: 'redrive-failed-batches', duty: 'redrive' },
  VerifyChangeLog: { file: 'verify-change-log', duty: 'verify' },
  VerifyRows: { file: 'verify-rows', duty: 'verifyRows' },
  RotateServiceSecret: { file: 'rotate-service-secret', duty: 'rotateSecret' },
  ResealSecrets: { file: 'reseal-secrets', duty: 'resealSecrets' },
  ReplayCommits: { file: 'replay-commits', duty: 'replay' },
  IndexChangeLog: { file: 'index-change-log', duty: 'indexChangeLog' },
  RollBack: { file: 'roll-back', duty: 'rollBack' },
  // It does what the sealing function does, and begins a log beside that.
  BeginSealedLog: { file: 'begin-sealed-log', duty: 'seal' },
}

/** What an operator invokes under IAM to care for the logs and the service secret (docs/runbooks). */
export class Tasks extends Construct {
  /** What each is invoked by, named as the outputs of the stack are. */
  readonly functionNames: Record<string, string>
  readonly functions: LambdaFunction[] = []

  constructor(scope: Construct, id: string, { consumers, roles, shared, code }: Props) {
    super(scope, id)
    const made = Object.entries(tasks).map(([name, { file, duty }]) => {
      const task = new LambdaFunction(this, name, {
        ...functionSettings(shared, code, `tasks/${file}.ts`),
        role: roles.of[duty],
        timeout: Duration.minutes(15),
      })
      this.functions.push(task)
      return [`${name}Function`, live(task, shared.loaded).functionName] as const
    })
    this.functionNames = Object.fromEntries(made)
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

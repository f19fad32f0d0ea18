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

/** Callers of a task. Tasks that make administrators or decide about a log are left to the break-glass policy. */
export type TaskCaller = 'operator' | 'breakGlass'

const tasks: Record<string, { file: string; duty: Duty; caller: TaskCaller }> = {
  RedriveFailedBatches: { file: 'redrive-failed-batches', duty: 'redrive', caller: 'operator' },
  VerifyChangeLog: { file: 'verify-change-log', duty: 'verify', caller: 'operator' },
  VerifyRows: { file: 'verify-rows', duty: 'verifyRows', caller: 'operator' },
  RotateServiceSecret: { file: 'rotate-service-secret', duty: 'rotateSecret', caller: 'breakGlass' },
  ResealSecrets: { file: 'reseal-secrets', duty: 'resealSecrets', caller: 'breakGlass' },
  ReplayCommits: { file: 'replay-commits', duty: 'replay', caller: 'operator' },
  IndexChangeLog: { file: 'index-change-log', duty: 'indexChangeLog', caller: 'operator' },
  RollBack: { file: 'roll-back', duty: 'rollBack', caller: 'operator' },
  // It does what the sealing function does, and begins a log beside that.
  BeginSealedLog: { file: 'begin-sealed-log', duty: 'seal', caller: 'breakGlass' },
}

/** Functions that an operator invokes under IAM, for logs, the service secret and rollbacks (docs/runbooks). */
export class Tasks extends Construct {
  /** Name with alias of each function, by the output of the stack that has it. */
  readonly functionNames: Record<string, string>
  readonly functions: LambdaFunction[] = []
  /** Their ARNs, by caller. */
  readonly arns: Record<TaskCaller, string[]> = { operator: [], breakGlass: [] }

  constructor(scope: Construct, id: string, { consumers, roles, shared, code }: Props) {
    super(scope, id)
    const made = Object.entries(tasks).map(([name, { file, duty, caller }]) => {
      const task = new LambdaFunction(this, name, {
        ...functionSettings(shared, code, `tasks/${file}.ts`),
        role: roles.of[duty],
        timeout: Duration.minutes(15),
      })
      this.functions.push(task)
      const { functionName, functionArn } = live(task, shared.loaded)
      this.arns[caller].push(functionArn)
      return [`${name}Function`, functionName] as const
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

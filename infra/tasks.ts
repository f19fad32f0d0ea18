import { Duration } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Consumers } from './consumers.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import type { Roles } from './roles.ts'

type Props = { consumers: Consumers; roles: Roles; shared: Shared; code: Code }

/** What an operator invokes under IAM to care for the logs (docs/runbooks). */
export class Tasks extends Construct {
  readonly redrive: LambdaFunction
  readonly verify: LambdaFunction

  constructor(scope: Construct, id: string, { consumers, roles, shared, code }: Props) {
    super(scope, id)
    const task = (name: string, file: string, duty: 'redrive' | 'verify') =>
      new LambdaFunction(this, name, {
        ...functionSettings(shared, code, file),
        role: roles.of[duty],
        timeout: Duration.minutes(15),
      })
    this.redrive = task('RedriveFailedBatches', 'tasks/redrive-failed-batches.ts', 'redrive')
    this.verify = task('VerifyChangeLog', 'tasks/verify-change-log.ts', 'verify')
    roles.of.redrive.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: consumers.streams.map(({ consumer }) => consumer.functionArn),
      }),
    )
  }
}

import { CfnCustomResource, Duration } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { functionSettings, type Shared } from './function-settings.ts'
import { live } from './live.ts'

type Props = {
  /** What the functions of the deployment reserve together. */
  reserved: number
  requestsPerSecond: number
  code: Code
  shared: Shared
  role: Role
}

/**
 * Asks Lambda, while the stack is deployed, how many functions the account may run at once, and ends the deployment
 * with a sentence where they cannot be reserved. A function of the stack asks, so whoever deploys needs no right for it.
 */
export class ConcurrencyCheck extends Construct {
  /** What was found, in a sentence. */
  readonly finding: string

  constructor(scope: Construct, id: string, { reserved, requestsPerSecond, code, shared, role }: Props) {
    super(scope, id)
    const asking = new LambdaFunction(this, 'Function', {
      ...functionSettings(shared, code, 'tasks/check-concurrency.ts'),
      role,
      timeout: Duration.seconds(60),
    })
    const check = new CfnCustomResource(this, 'Check', {
      serviceToken: live(asking, shared.loaded).functionArn,
      serviceTimeout: 180,
    })
    check.addPropertyOverride('Reserved', String(reserved))
    check.addPropertyOverride('RequestsPerSecond', String(requestsPerSecond))
    check.node.addDependency(role)
    this.finding = check.getAtt('Found').toString()
  }
}

import { CfnCustomResource, Duration } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { currentFunction, type FunctionDefaults } from './current-function.ts'

/**
 * Custom resource that fails the deployment if the account's concurrency limit is too low. A function in the stack reads the limit, so the
 * deploying user needs no permission to read it.
 */
export class ConcurrencyCheck extends Construct {
  readonly finding: string

  constructor(scope: Construct, defaults: FunctionDefaults, role: Role, reserved: number, requestsPerSecond: number) {
    super(scope, 'ConcurrencyCheck')
    const timeout = Duration.seconds(60)
    const checker = currentFunction(this, 'Function', defaults, 'tasks/check-concurrency.ts', { role, timeout })
    const check = new CfnCustomResource(this, 'Check', { serviceToken: checker.functionArn, serviceTimeout: 180 })
    check.addPropertyOverride('Reserved', String(reserved))
    check.addPropertyOverride('RequestsPerSecond', String(requestsPerSecond))
    check.node.addDependency(role)
    this.finding = check.getAtt('Found').toString()
  }
}

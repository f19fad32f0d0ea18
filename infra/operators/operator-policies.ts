import { CfnOutput, Stack } from 'aws-cdk-lib'
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { acknowledge, wildcardRule } from '../nag/acknowledge.ts'
import { breakGlassRights } from './break-glass-rights.ts'
import type { Operated } from './operated.ts'
import { operatingRights } from './operating-rights.ts'
import { readingRights } from './reading-rights.ts'

/**
 * Policies for people who operate the service (docs/decisions/0039). Each adds to the one before. None changes rights, roles or
 * code: that is a deployment.
 */
export class OperatorPolicies extends Construct {
  constructor(scope: Construct, id: string, operated: Operated) {
    super(scope, id)
    const rights = {
      ReadPolicy: readingRights(this, operated),
      OperatePolicy: operatingRights(this, operated),
      BreakGlassPolicy: breakGlassRights(this, operated),
    }
    for (const [name, statements] of Object.entries(rights)) {
      const description = `Network Access Administration, ${operated.settings.stackName}: for people who operate it.`
      const policy = new ManagedPolicy(this, name, { description, statements })
      const patterns = statements.flatMap(({ resources }) => resources).filter((resource) => resource.includes('*'))
      for (const pattern of new Set(patterns))
        acknowledge(policy, wildcardRule(this, pattern), 'Names are made up, or the actions know no resources.')
      new CfnOutput(Stack.of(this), name, { value: policy.managedPolicyArn })
    }
  }
}

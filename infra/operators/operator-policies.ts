import { CfnOutput, Stack } from 'aws-cdk-lib'
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { acknowledgeWildcards } from '../nag/acknowledge.ts'
import { may } from '../roles/may.ts'
import { breakGlassRights } from './break-glass-rights.ts'
import { type OperatedParts, resourceArns, tasksOf } from './operated.ts'
import { readingRights } from './reading-rights.ts'

/**
 * Creates the policies for operators (docs/decisions/0039): read, operate, break glass. No policy allows changes to permissions, roles or
 * code, which require a deployment.
 */
export function operatorPolicies(scope: Construct, parts: OperatedParts): void {
  const operatorsScope = new Construct(scope, 'Operators')
  const policies = {
    ReadPolicy: readingRights(operatorsScope, parts),
    OperatePolicy: operatingRights(operatorsScope, parts),
    BreakGlassPolicy: breakGlassRights(operatorsScope, parts),
  }
  for (const [name, statements] of Object.entries(policies)) {
    const description = `Network Access Administration, ${parts.settings.stackName}: for operators.`
    const policy = new ManagedPolicy(operatorsScope, name, { description, statements })
    const patterns = new Set(statements.flatMap(({ resources }) => resources).filter((arn) => arn.includes('*')))
    acknowledgeWildcards(
      policy,
      operatorsScope,
      [...patterns],
      'The names are generated, or the actions do not support resource-level permissions.',
    )
    new CfnOutput(Stack.of(operatorsScope), name, { value: policy.managedPolicyArn })
  }
}

/**
 * Builds the permissions to keep the service running, without access to data. Every permitted action except removing a batch can be undone.
 */
function operatingRights(scope: Construct, parts: OperatedParts) {
  const { settings, storage } = parts
  const arns = resourceArns(scope, settings)
  return [
    may(['lambda:InvokeFunction'], tasksOf(parts, false)),
    may(['events:DisableRule', 'events:EnableRule'], [arns.rules]),
    may(['cloudwatch:SetAlarmState'], [arns.alarms]),
    // Allows stopping a deployment, which rolls it back.
    may(['codedeploy:StopDeployment'], [arns.deployments]),
    may(['cloudformation:CancelUpdateStack'], arns.stacks),
    // Allows removing batches, which can be recovered from an older version for some days. Does not allow reading them, because batches
    // contain data.
    may(['s3:ListBucket'], [storage.failures.bucketArn]),
    may(['s3:DeleteObject'], [storage.failures.arnForObjects('aws/lambda/*')]),
    ...(settings.cdnSecretArn === null ? [] : [may(['secretsmanager:RotateSecret'], [settings.cdnSecretArn])]),
  ]
}

import { Duration } from 'aws-cdk-lib'
import { type Alarm, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { acknowledgeWildcards } from '../nag/acknowledge.ts'
import { may } from '../roles/may.ts'
import { arnOf } from '../settings/generated-names.ts'
import { alarmOn } from './alarm.ts'

/** Operations that handle most of the load. Their new versions are deployed gradually. */
export const criticalOperations: ReadonlySet<string> = new Set([
  'PUT /client/sessions/{id}',
  'PUT /gateway/sessions/{id}',
  'POST /client/authorizations',
  'POST /ingestion/flow_logs',
  'GET /logs',
  'GET /logs/{log_id}',
])

type ShiftedFunction = { id: string; alias: Alias; operation: string }

/** Metric of 5xx responses by operation and version. `Monitoring` derives the metric from log lines. */
export const faultsByVersion = 'faults_by_version'

/** Builds expressions that are 1 for a minute with excessive failures: at least 3, and more than 1 % of the new version's calls. */
function failureShares({ alias, operation }: ShiftedFunction, namespace: string): Record<string, MathExpression> {
  const { version } = alias.version
  // Lambda adds the dimension `ExecutedVersion` while an alias splits its calls between two versions.
  const ofVersion = (metricName: string) =>
    alias.metric(metricName, {
      statistic: 'Sum',
      dimensionsMap: {
        FunctionName: alias.lambda.functionName,
        Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
        ExecutedVersion: version,
      },
    })
  const share = (failures: Metric) =>
    new MathExpression({
      expression: 'IF(failures >= 3 AND failures * 100 > calls, 1, 0)',
      usingMetrics: { failures, calls: ofVersion('Invocations') },
      period: Duration.minutes(1),
      label: 'Failures of the new version',
    })
  const dimensionsMap = { operation, version }
  const faults = new Metric({ namespace, metricName: faultsByVersion, statistic: 'Sum', dimensionsMap })
  return { Errors: share(ofVersion('Errors')), Faults: share(faults) }
}

/**
 * Creates alarms with the version in their names. An alarm keeps its state when it changes, so an alarm reused from a faulty version could
 * roll back the fix.
 */
const createAlarms = (scope: Construct, target: ShiftedFunction, namespace: string): Alarm[] =>
  Object.entries(failureShares(target, namespace)).map(([failure, metric]) => {
    const { lambda, version } = target.alias
    const alarmName = `${lambda.functionName}-${version.version}-${failure.toLowerCase()}`
    const text = `The new version of ${target.id} fails and is rolled back. See docs/runbooks/new-version-fails.md.`
    return alarmOn(scope, `${target.id}${failure}`, metric, text, null, { alarmName })
  })

/**
 * Shifts one in ten requests to the new version of a function for five minutes, and then all requests. If an alarm of that version goes off
 * during this time, CodeDeploy moves the alias back and the deployment fails.
 */
export function shiftGradually(scope: Construct, functions: ShiftedFunction[], namespace: string): void {
  const shift = new Construct(scope, 'Shift')
  const role = new Role(shift, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') })
  const application = new LambdaApplication(shift, 'Application')
  for (const target of functions) {
    new LambdaDeploymentGroup(shift, target.id, {
      application,
      // Prevents the CDK from granting permissions on all functions. The statements below cover only these functions.
      role: role.withoutPolicyUpdates(),
      alias: target.alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: createAlarms(shift, target, namespace),
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    })
  }
  const lambdas = functions.map(({ alias }) => alias.lambda)
  const versions = lambdas.map(({ functionArn }) => `${functionArn}:*`)
  const arns = lambdas.flatMap(({ functionArn }) => [functionArn, `${functionArn}:*`])
  const aliases = ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig']
  role.addToPolicy(may(aliases, arns))
  const reason = 'A deployment moves the alias to versions that are yet to be published.'
  acknowledgeWildcards(role, shift, versions, reason)
  const alarms = lambdas.map(({ functionName }) => arnOf(shift, 'cloudwatch', `alarm:${functionName}-*`))
  role.addToPolicy(may(['cloudwatch:DescribeAlarms'], alarms))
  acknowledgeWildcards(role, shift, alarms, 'Each version has its own alarms.')
}

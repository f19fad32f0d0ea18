import { Duration } from 'aws-cdk-lib'
import { type Alarm, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { acknowledgeWildcards } from '../nag/acknowledge.ts'
import { may } from '../roles/may.ts'
import { arnOf } from '../settings/made-up-names.ts'
import { alarmOn } from './alarm.ts'

/** The operations that carry the load: a fault in one of them reaches every gateway and client, or loses what they report. */
export const carryingRoutes: ReadonlySet<string> = new Set([
  'PUT /client/sessions/{id}',
  'PUT /gateway/sessions/{id}',
  'POST /client/authorizations',
  'POST /ingestion/flow_logs',
  'GET /logs',
  'GET /logs/{log_id}',
])

/** A function that takes its new version a part of the requests at first. */
type Shifted = { id: string; alias: Alias; operation: string }

/** Metric of answers of the service's own fault, by operation and version, which `Monitoring` makes of the functions' lines. */
export const faultsByVersion = 'faults_by_version'

/** Expressions that are 1 in a minute with at least 3 failures of the new version that are also more than 1 % of its calls. */
function sharesOf({ alias, operation }: Shifted, namespace: string): Record<string, MathExpression> {
  const { version } = alias.version
  // Lambda adds this dimension while an alias divides its calls between two versions.
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
 * Alarms of one version, named after it. An alarm that is changed keeps its state, so one that served the version before
 * could end the deployment of a fix.
 */
const alarmsOf = (scope: Construct, shifted: Shifted, namespace: string): Alarm[] =>
  Object.entries(sharesOf(shifted, namespace)).map(([what, metric]) => {
    const { lambda, version } = shifted.alias
    const alarmName = `${lambda.functionName}-${version.version}-${what.toLowerCase()}`
    const text = `The new version of ${shifted.id} fails and is taken back. See docs/runbooks/new-version-fails.md.`
    return alarmOn(scope, `${shifted.id}${what}`, metric, text, null, { alarmName })
  })

/**
 * Lets a new version of some functions answer one request in ten for five minutes, and all of them after that. When an alarm
 * of that version goes off meanwhile, CodeDeploy moves the alias back, and the deployment fails.
 */
export function shiftGradually(scope: Construct, functions: Shifted[], namespace: string): void {
  const shift = new Construct(scope, 'Shift')
  const role = new Role(shift, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') })
  const application = new LambdaApplication(shift, 'Application')
  for (const shifted of functions) {
    new LambdaDeploymentGroup(shift, shifted.id, {
      application,
      // Its rights are below, for these functions alone.
      role: role.withoutPolicyUpdates(),
      alias: shifted.alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: alarmsOf(shift, shifted, namespace),
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    })
  }
  const lambdas = functions.map(({ alias }) => alias.lambda)
  const versions = lambdas.map(({ functionArn }) => `${functionArn}:*`)
  const arns = lambdas.flatMap(({ functionArn }) => [functionArn, `${functionArn}:*`])
  const aliases = ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig']
  role.addToPolicy(may(aliases, arns))
  const unpublished = 'A deployment moves the alias to versions that are yet to be published.'
  acknowledgeWildcards(role, shift, versions, unpublished)
  const alarms = lambdas.map(({ functionName }) => arnOf(shift, 'cloudwatch', `alarm:${functionName}-*`))
  role.addToPolicy(may(['cloudwatch:DescribeAlarms'], alarms))
  acknowledgeWildcards(role, shift, alarms, 'Each version has alarms of its own.')
}

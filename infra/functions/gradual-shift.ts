import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { acknowledge, wildcardRule } from '../nag/acknowledge.ts'

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
export type Shifted = {
  id: string
  alias: Alias
  /** Name of its operation in the log. */
  operation: string
}

type Props = {
  functions: Shifted[]
  /** Namespace of the metrics that the service makes of its own lines. */
  serviceName: string
}

/** Metric of answers of the service's own fault, by operation and version, which `Monitoring` makes of the functions' lines. */
export const faultsByVersion = 'faults_by_version'

/** Expressions that are 1 in a minute with at least 3 failures of the new version that are also more than 1 % of its calls. */
function sharesOf({ alias, operation }: Shifted, serviceName: string): Record<string, MathExpression> {
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
  const faults = new Metric({
    namespace: serviceName,
    metricName: faultsByVersion,
    statistic: 'Sum',
    dimensionsMap: { operation, version },
  })
  return { errors: share(ofVersion('Errors')), faults: share(faults) }
}

/**
 * Lets a new version of some functions answer one request in ten for five minutes, and all of them after that. When an alarm
 * of that version goes off meanwhile, CodeDeploy moves the alias back, and the deployment fails.
 */
export class GradualShift extends Construct {
  constructor(scope: Construct, id: string, { functions, serviceName }: Props) {
    super(scope, id)
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') })
    const application = new LambdaApplication(this, 'Application')
    for (const shifted of functions) {
      new LambdaDeploymentGroup(this, shifted.id, {
        application,
        // Its rights are below, for these functions alone.
        role: role.withoutPolicyUpdates(),
        alias: shifted.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: this.alarmsOf(shifted, serviceName),
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      })
    }
    const names = functions.map(({ alias }) => alias.lambda.functionName)
    const arns = functions.flatMap(({ alias }) => [alias.lambda.functionArn, `${alias.lambda.functionArn}:*`])
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        resources: arns,
      }),
    )
    for (const { alias } of functions) {
      const reason = 'A deployment moves the alias to versions that are yet to be published.'
      acknowledge(role, wildcardRule(this, `${alias.lambda.functionArn}:*`), reason)
    }
    const alarms = names.map((name) => alarmArn(this, `${name}-*`))
    role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: alarms }))
    for (const alarm of alarms) acknowledge(role, wildcardRule(this, alarm), 'Each version has alarms of its own.')
  }

  /**
   * Alarms of one version, named after it. An alarm that is changed keeps its state, so one that served the version before
   * could end the deployment of a fix.
   */
  private alarmsOf(shifted: Shifted, serviceName: string): Alarm[] {
    const { lambda, version } = shifted.alias
    return Object.entries(sharesOf(shifted, serviceName)).map(
      ([what, metric]) =>
        new Alarm(this, `${shifted.id}${what === 'errors' ? 'Errors' : 'Faults'}`, {
          alarmName: `${lambda.functionName}-${version.version}-${what}`,
          metric,
          threshold: 0,
          evaluationPeriods: 1,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
          alarmDescription: `The new version of ${shifted.id} fails and is taken back. See docs/runbooks/new-version-fails.md.`,
        }),
    )
  }
}

const alarmArn = (scope: Construct, resourceName: string): string =>
  Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })

import { Duration } from 'aws-cdk-lib'
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
  /** What answers of the service's own fault are counted by: the class of its operation. */
  faults: { namespace: string; class: string }
}

const minute = Duration.minutes(1)

/** Faults of the class, or ends without an answer, that are more than a few and more than one in a hundred. */
function faultsOf({ alias, faults }: Shifted): MathExpression {
  const ofClass = (metricName: string, statistic: string) =>
    new Metric({ namespace: faults.namespace, metricName, statistic, dimensionsMap: { class: faults.class } })
  return new MathExpression({
    expression: 'IF(errors >= 3 AND errors * 100 > calls OR faults >= 5 AND faults * 100 > answers, 1, 0)',
    usingMetrics: {
      errors: alias.metricErrors({ statistic: 'Sum' }),
      calls: alias.metricInvocations({ statistic: 'Sum' }),
      faults: ofClass('faults', 'Sum'),
      answers: ofClass('faults', 'SampleCount'),
    },
    period: minute,
    label: 'Faults during a change of version',
  })
}

/**
 * Lets a new version of some functions answer one request in ten for five minutes, and all of them after that. When the alarm
 * of a function goes off meanwhile, CodeDeploy takes the new version back, and with it ends the deployment.
 */
export class GradualShift extends Construct {
  constructor(scope: Construct, id: string, functions: Shifted[]) {
    super(scope, id)
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') })
    const application = new LambdaApplication(this, 'Application')
    const alarms = functions.map((shifted) => {
      const alarm = new Alarm(this, `${shifted.id}Faults`, {
        metric: faultsOf(shifted),
        threshold: 0,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `${shifted.id} fails. A new version is taken back. See docs/runbooks/new-version-fails.md.`,
      })
      new LambdaDeploymentGroup(this, shifted.id, {
        application,
        // Its rights are below, for these functions alone.
        role: role.withoutPolicyUpdates(),
        alias: shifted.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [alarm],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      })
      return alarm
    })
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
    role.addToPolicy(
      new PolicyStatement({
        actions: ['cloudwatch:DescribeAlarms'],
        resources: alarms.map(({ alarmArn }) => alarmArn),
      }),
    )
  }
}

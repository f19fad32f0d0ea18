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
  /** What answers of the service's own fault are counted by: the class of its operation; null where nothing counts them. */
  faults: { namespace: string; class: string } | null
}

const minute = Duration.minutes(1)

/** Answers of the class that are the service's own fault. A minute in which nothing is answered has none of them. */
function faultsOf({ namespace, class: kind }: { namespace: string; class: string }) {
  const ofClass = (statistic: string) =>
    new Metric({ namespace, metricName: 'faults', statistic, dimensionsMap: { class: kind } })
  return {
    expression: ' OR (FILL(faults, 0) >= 5 AND FILL(faults, 0) * 100 > FILL(answers, 0))',
    usingMetrics: { faults: ofClass('Sum'), answers: ofClass('SampleCount') },
  }
}

/** Ends without an answer, or faults of the class, that are more than a few and more than one in a hundred. */
function failuresOf({ alias, faults }: Shifted): MathExpression {
  const counted = faults && faultsOf(faults)
  return new MathExpression({
    expression: `IF((errors >= 3 AND errors * 100 > calls)${counted?.expression ?? ''}, 1, 0)`,
    usingMetrics: {
      errors: alias.metricErrors({ statistic: 'Sum' }),
      calls: alias.metricInvocations({ statistic: 'Sum' }),
      ...counted?.usingMetrics,
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
        metric: failuresOf(shifted),
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

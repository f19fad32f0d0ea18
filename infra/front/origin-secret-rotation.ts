import { Duration, Stack } from 'aws-cdk-lib'
import type { IDistribution } from 'aws-cdk-lib/aws-cloudfront'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Code, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnRotationSchedule, type ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { loadedCode } from '../code/loaded-code.ts'
import { functionSettings, type Shared } from '../functions/function-settings.ts'
import { acknowledgeTracing } from '../nag/tracing.ts'

type Props = {
  secret: ISecret
  distribution: IDistribution
  webAclArn: string
  everyDays: number
  code: string
  logGroup: Shared['logGroup']
  tracing: boolean
  serviceName: string
  alarmTopic: ITopic
}

/** Changes the secret that the distribution sends, and with it what the service accepts, without a gap. */
export class OriginSecretRotation extends Construct {
  readonly rotator: IFunction

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    const { secret, distribution, webAclArn, everyDays, code, logGroup, tracing, serviceName, alarmTopic } = props
    const { account } = Stack.of(this)
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    if (tracing) acknowledgeTracing(role)
    const rights: [actions: string[], resource: string][] = [
      [
        ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'].map(
          (action) => `secretsmanager:${action}`,
        ),
        secret.secretArn,
      ],
      [
        ['GetDistribution', 'GetDistributionConfig', 'UpdateDistribution'].map((action) => `cloudfront:${action}`),
        distribution.distributionArn,
      ],
      // CloudFront asks for it of whoever updates a distribution with a web ACL.
      [['wafv2:GetWebACL'], webAclArn],
    ]
    for (const [actions, resource] of rights) {
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }))
    }
    const loaded = loadedCode(code)
    // Secrets Manager invokes the function itself; each of its steps bears being done by another version.
    this.rotator = new LambdaFunction(this, 'Function', {
      ...functionSettings(
        {
          logGroup,
          loaded,
          environment: { DISTRIBUTION_ID: distribution.distributionId, SERVICE_NAME: serviceName },
          tracing,
        },
        Code.fromAsset(code),
        'tasks/rotate-origin-secret.ts',
      ),
      role,
      // It waits until every edge has the new word.
      timeout: Duration.minutes(15),
      retryAttempts: 0,
    })
    this.rotator.addPermission('SecretsManager', {
      principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
      sourceAccount: account,
    })
    const schedule = new CfnRotationSchedule(this, 'Schedule', {
      secretId: secret.secretArn,
      rotationLambdaArn: this.rotator.functionArn,
      rotationRules: { automaticallyAfterDays: everyDays },
    })
    schedule.node.addDependency(this.rotator, role)
    this.watch(alarmTopic)
  }

  /** Nobody else would tell: the secret that counts goes on counting. */
  private watch(topic: ITopic): void {
    const failing = new Alarm(this, 'Failing', {
      metric: this.rotator.metricErrors({ statistic: 'Sum', period: Duration.hours(1) }),
      threshold: 0,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription:
        'The secret of CloudFront is not rotated. See docs/runbooks/origin-secret.md. Without data no rotation was due.',
    })
    failing.addAlarmAction(new SnsAction(topic))
    failing.addOkAction(new SnsAction(topic))
  }
}

import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Code } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { CfnRotationSchedule, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { livePath } from '../api/live-api.ts'
import { publicRoutes } from '../code/public-routes.ts'
import { alarmOn } from '../functions/alarm.ts'
import { lambdaFunction } from '../functions/current-function.ts'
import { acknowledge, acknowledgeTracing } from '../nag/acknowledge.ts'
import { may } from '../roles/may.ts'
import type { Settings } from '../settings/settings.ts'
import { LookUps } from '../storage/look-ups.ts'

/** Headers with the caller's location (P8.2). CloudFront overwrites any values that the caller sends. */
const viewerHeaders = ['Address', 'Country', 'City', 'Latitude', 'Longitude'].map((name) => `CloudFront-Viewer-${name}`)

/** Error statuses that CloudFront must not cache. By default, it caches errors for ten seconds. */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

/**
 * Policies that forward a handshake of the live channel. Forwarding all headers would include the caller's `Host`, which API Gateway
 * rejects. A policy can list at most ten headers, and can forward `Authorization` only as part of the cache key.
 */
const handshakePolicies = (scope: Construct) => ({
  originRequestPolicy: new OriginRequestPolicy(scope, 'ToChannel', {
    comment: 'Handshake headers and location of the caller',
    headerBehavior: OriginRequestHeaderBehavior.allowList(
      ...viewerHeaders,
      ...['Key', 'Version', 'Protocol', 'Extensions'].map((name) => `Sec-WebSocket-${name}`),
    ),
    queryStringBehavior: OriginRequestQueryStringBehavior.all(),
    cookieBehavior: OriginRequestCookieBehavior.none(),
  }),
  cachePolicy: new CachePolicy(scope, 'Handshakes', {
    comment: 'Caches neither handshakes nor refusals',
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.seconds(1),
    headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'Origin', 'User-Agent', 'X-Request-Id'),
  }),
})

type Props = {
  settings: Settings
  /** Public domain of the service. The API's certificate covers this domain too. */
  domainName: string
  certificateArn: string
  webAclArn: string
  origin: string
  /** Host of the live channel; null if the deployment has no live channel. */
  channelOrigin: string | null
  code: string
  logGroup: ILogGroup
  alarmTopic: ITopic
}

/**
 * CloudFront distribution for the API, with a web ACL and the secret that authenticates CloudFront to the service. The service requires the
 * secret only once `cdnSecretArn` is set, so that callers can move to the CDN first.
 */
export class FrontStack extends Stack {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, { description: 'Network Access Administration: front' })
    const { domainName, certificateArn, origin, channelOrigin } = props
    const lookUps = new LookUps(this, 'LookUps')
    const webAclArn = lookUps.once('WebAclArn', props.webAclArn)
    const alarmTopic = Topic.fromTopicArn(this, 'Alarms', lookUps.once('AlarmTopicArn', props.alarmTopic.topicArn))
    const secret = new Secret(this, 'OriginSecret', {
      description: 'Proves to the service that a request came through CloudFront. It is rotated automatically.',
      generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'current', excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const originAt = (host: string) =>
      new HttpOrigin(host, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        customHeaders: { 'x-origin-secret': secret.secretValueFromJson('current').unsafeUnwrap() },
        // Exceeds the 30 seconds within which API Gateway always responds, even if only with an error.
        readTimeout: Duration.seconds(35),
        keepaliveTimeout: Duration.seconds(60),
      })
    /** Forwards all headers and the caller's location. Cookies authenticate the console (K3.3), but cached pages must not depend on them. */
    const toOrigin = (name: string, comment: string, cookieBehavior: OriginRequestCookieBehavior) =>
      new OriginRequestPolicy(this, name, {
        comment,
        headerBehavior: OriginRequestHeaderBehavior.all(...viewerHeaders),
        queryStringBehavior: OriginRequestQueryStringBehavior.all(),
        cookieBehavior,
      })
    const everything = 'All headers and cookies of the caller, with token and host, and its location'
    const behavior: BehaviorOptions = {
      origin: originAt(origin),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: toOrigin('ToOrigin', everything, OriginRequestCookieBehavior.all()),
      compress: false,
    }
    const cachePolicy = new CachePolicy(this, 'Pages', {
      comment: 'Caches public pages according to their Cache-Control',
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.days(1),
      headerBehavior: CacheHeaderBehavior.none(),
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    })
    const withoutCookies = toOrigin('ToPages', 'All headers, without cookies', OriginRequestCookieBehavior.none())
    const page = { ...behavior, cachePolicy, originRequestPolicy: withoutCookies }
    const distribution = new Distribution(this, 'Distribution', {
      comment: domainName,
      domainNames: [domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAclArn,
      defaultBehavior: behavior,
      additionalBehaviors: {
        ...Object.fromEntries(Object.keys(publicRoutes).map((route) => [route.slice(route.indexOf('/')), page])),
        ...(props.settings.console && { '/console/_/*': page }),
        ...(channelOrigin && {
          [livePath]: { ...behavior, ...handshakePolicies(this), origin: originAt(channelOrigin) },
        }),
      },
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    })
    const fromAnywhere = 'The service restricts locations by its own policies, so the CDN does not.'
    acknowledge(distribution, 'AwsSolutions-CFR1', fromAnywhere)
    const reason = 'The access log of the API shows accepted requests, and the log of the web ACL shows blocked ones.'
    acknowledge(distribution, 'AwsSolutions-CFR3', reason)
    rotateOriginSecret(this, secret, distribution, { ...props, webAclArn, alarmTopic })
    new CfnOutput(this, 'FrontDomain', { value: distribution.distributionDomainName })
    new CfnOutput(this, 'OriginSecretArn', { value: secret.secretArn })
  }
}

function rotateOriginSecret(
  scope: Construct,
  secret: ISecret,
  { distributionId, distributionArn }: Distribution,
  { webAclArn, settings: { originSecretDays, tracing, stackName }, code, logGroup, alarmTopic }: Props,
): void {
  const rotation = new Construct(scope, 'Rotation')
  const role = new Role(rotation, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  logGroup.grantWrite(role)
  if (tracing) acknowledgeTracing(role)
  const ofSecret = ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'].map(
    (action) => `secretsmanager:${action}`,
  )
  const ofDistribution = ['GetDistribution', 'GetDistributionConfig', 'UpdateDistribution'].map(
    (action) => `cloudfront:${action}`,
  )
  role.addToPolicy(may(ofSecret, [secret.secretArn]))
  role.addToPolicy(may(ofDistribution, [distributionArn]))
  // CloudFront requires this permission to update a distribution with a web ACL.
  role.addToPolicy(may(['wafv2:GetWebACL'], [webAclArn]))
  const environment = { DISTRIBUTION_ID: distributionId, SERVICE_NAME: stackName }
  const defaults = { logGroup, environment, tracing, code: Code.fromAsset(code) }
  // Creates no alias, because Secrets Manager invokes the function directly. The steps of a rotation can run in different versions.
  const rotator = lambdaFunction(rotation, 'Function', defaults, 'tasks/rotate-origin-secret.ts', {
    role,
    // Allows enough time for every edge location to receive the new secret.
    timeout: Duration.minutes(15),
    retryAttempts: 0,
  })
  rotator.addPermission('SecretsManager', {
    principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
    sourceAccount: Stack.of(scope).account,
  })
  const schedule = new CfnRotationSchedule(rotation, 'Schedule', {
    secretId: secret.secretArn,
    rotationLambdaArn: rotator.functionArn,
    rotationRules: { automaticallyAfterDays: originSecretDays },
  })
  schedule.node.addDependency(rotator, role)
  // Reports failed rotations. Requests still succeed after a failure, because the current secret stays valid.
  alarmOn(
    rotation,
    'Failing',
    rotator.metricErrors({ statistic: 'Sum', period: Duration.hours(1) }),
    'The secret that CloudFront sends to the API was not rotated. See docs/runbooks/origin-secret.md. Missing data means that no rotation was due.',
    alarmTopic,
  )
}

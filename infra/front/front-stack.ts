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
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { livePath } from '../api/live-api.ts'
import { publicRoutes } from '../api/public-routes.ts'
import type { Shared } from '../functions/function-settings.ts'
import { acknowledge } from '../nag/acknowledge.ts'
import { LookUps } from '../storage/look-ups.ts'
import { OriginSecretRotation } from './origin-secret-rotation.ts'

/** Where people are (P8.2), as CloudFront tells it; names that a caller sends itself are replaced. */
const viewerHeaders = ['Address', 'Country', 'City', 'Latitude', 'Longitude'].map((name) => `CloudFront-Viewer-${name}`)

/** What CloudFront would remember for ten seconds and show to every caller of the same address. */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

const everythingOf = (scope: Construct): OriginRequestPolicy =>
  new OriginRequestPolicy(scope, 'ToOrigin', {
    comment: 'All that the caller sends, tokens and host as well, and where it is',
    headerBehavior: OriginRequestHeaderBehavior.all(...viewerHeaders),
    queryStringBehavior: OriginRequestQueryStringBehavior.all(),
    cookieBehavior: OriginRequestCookieBehavior.none(),
  })

/** Keeps a page as long as its `Cache-Control` says, in each encoding. */
const asThePageSays = (scope: Construct): CachePolicy =>
  new CachePolicy(scope, 'Pages', {
    comment: 'The public pages, for as long as they say',
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.days(1),
    headerBehavior: CacheHeaderBehavior.none(),
    enableAcceptEncodingBrotli: true,
    enableAcceptEncodingGzip: true,
  })

/**
 * What a handshake of the live channel is made of. Its host is the platform's, so it cannot have all headers of the caller; of those
 * that it needs, CloudFront hands on ten by one policy, and the token only as part of what answers would be kept by.
 */
const handshakeOf = (scope: Construct) => ({
  originRequestPolicy: new OriginRequestPolicy(scope, 'ToChannel', {
    comment: 'The handshake, and where the caller is',
    headerBehavior: OriginRequestHeaderBehavior.allowList(
      ...viewerHeaders,
      ...['Key', 'Version', 'Protocol', 'Extensions'].map((name) => `Sec-WebSocket-${name}`),
    ),
    queryStringBehavior: OriginRequestQueryStringBehavior.all(),
    cookieBehavior: OriginRequestCookieBehavior.none(),
  }),
  cachePolicy: new CachePolicy(scope, 'Handshakes', {
    comment: 'Keeps nothing: no handshake is cached, and no refusal may be',
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.seconds(1),
    headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'Origin', 'User-Agent', 'X-Request-Id'),
  }),
})

type Props = {
  /** Public name of the service, which its API has a certificate for as well. */
  domainName: string
  certificateArn: string
  webAclArn: string
  /** Where the API answers to that name: the target of its custom domain. */
  origin: string
  /** Where the live channel is; none where the deployment has none. */
  channelOrigin?: string
  rotationDays: number
  code: string
  logGroup: Shared['logGroup']
  tracing: boolean
  serviceName: string
  alarmTopic: ITopic
}

/**
 * CloudFront before the API, with a web ACL, and the secret by which it proves itself to the service. The service asks for
 * the secret when a deployment says so (`cdnSecretArn`), so that callers can move to the CDN before.
 */
export class FrontStack extends Stack {
  readonly rotator: IFunction

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, { description: 'Network Access Administration: front' })
    const { domainName, certificateArn, origin, channelOrigin, rotationDays, code } = props
    const { logGroup, tracing, serviceName } = props
    const lookUps = new LookUps(this, 'LookUps')
    const webAclArn = lookUps.once('WebAclArn', props.webAclArn)
    const alarmTopic = Topic.fromTopicArn(this, 'Alarms', lookUps.once('AlarmTopicArn', props.alarmTopic.topicArn))
    const secret = new Secret(this, 'OriginSecret', {
      description: 'Proves to the service that a request came through CloudFront. It rotates by itself.',
      generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'current', excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const originAt = (host: string) =>
      new HttpOrigin(host, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        customHeaders: { 'x-origin-secret': secret.secretValueFromJson('current').unsafeUnwrap() },
        // API Gateway answers within 30 seconds, if only with an error.
        readTimeout: Duration.seconds(35),
        keepaliveTimeout: Duration.seconds(60),
      })
    const behavior: BehaviorOptions = {
      origin: originAt(origin),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: everythingOf(this),
      compress: false,
    }
    const page = { ...behavior, cachePolicy: asThePageSays(this) }
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
        ...(channelOrigin && {
          [livePath]: { ...behavior, ...handshakeOf(this), origin: originAt(channelOrigin) },
        }),
      },
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    })
    acknowledge(
      distribution,
      'AwsSolutions-CFR1',
      'Who may come from where is a condition of policies, not of the CDN.',
    )
    acknowledge(
      distribution,
      'AwsSolutions-CFR3',
      'The access log of the API has what went through, the log of the web ACL what did not.',
    )
    const rotation = {
      secret,
      distribution,
      webAclArn,
      everyDays: rotationDays,
      code,
      logGroup,
      tracing,
      serviceName,
      alarmTopic,
    }
    this.rotator = new OriginSecretRotation(this, 'Rotation', rotation).rotator
    new CfnOutput(this, 'FrontDomain', { value: distribution.distributionDomainName })
    new CfnOutput(this, 'OriginSecretArn', { value: secret.secretArn })
  }
}

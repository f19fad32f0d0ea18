import { beforeAll, describe, expect, it } from 'vitest'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

const settings = {
  domainName: 'access.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/a',
  frontCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/b',
}
let templates: Templates
let distribution: Resource['Properties']
let acl: Resource['Properties']
beforeAll(async () => {
  templates = await templatesOf([], settings)
  distribution = only('AWS::CloudFront::Distribution').DistributionConfig
  acl = only('AWS::WAFv2::WebACL')
})

function only(type: string, from = templates): Resource['Properties'] {
  const found = from.all(type)
  expect(found).toHaveLength(1)
  return (found[0] as Resource).Properties
}

const configOf = (type: string, name: string): Resource['Properties'] => {
  const [found] = templates.entries(type).filter(([id]) => id.startsWith(name))
  return (found as [string, Resource])[1].Properties
}

describe('without a certificate for CloudFront', () => {
  it('the service is reached at its own address', async () => {
    const plain = await templatesOf([])
    for (const type of ['AWS::CloudFront::Distribution', 'AWS::WAFv2::WebACL', 'AWS::ApiGatewayV2::DomainName'])
      expect(plain.all(type)).toEqual([])
  })
})

describe('CloudFront', () => {
  it("forwards all request headers including host and token, and the caller's location", () => {
    const { OriginRequestPolicyConfig: policy } = configOf('AWS::CloudFront::OriginRequestPolicy', 'ToOrigin')
    expect(policy.HeadersConfig).toEqual({
      HeaderBehavior: 'allViewerAndWhitelistCloudFront',
      Headers: ['Address', 'Country', 'City', 'Latitude', 'Longitude'].map((name) => `CloudFront-Viewer-${name}`),
    })
    expect(policy.QueryStringsConfig).toEqual({ QueryStringBehavior: 'all' })
    expect(policy.CookiesConfig).toEqual({ CookieBehavior: 'all' })
    expect(distribution.DefaultCacheBehavior.AllowedMethods).toContain('PATCH')
    for (const behavior of [distribution.DefaultCacheBehavior, ...distribution.CacheBehaviors])
      expect(behavior.OriginRequestPolicyId).toBeDefined()
  })

  it('forwards no cookie with requests for public pages and for the live channel (K3.3)', () => {
    for (const name of ['ToPages', 'ToChannel']) {
      const { CookiesConfig } = configOf('AWS::CloudFront::OriginRequestPolicy', name).OriginRequestPolicyConfig
      expect(CookiesConfig).toEqual({ CookieBehavior: 'none' })
    }
    const policies = distribution.CacheBehaviors.map(({ OriginRequestPolicyId }: Resource['Properties']) =>
      String(OriginRequestPolicyId.Ref).replace(/[0-9A-F]{8}$/, ''),
    )
    expect(new Set(policies)).toEqual(new Set(['ToPages', 'ToChannel']))
    expect(distribution.DefaultCacheBehavior.OriginRequestPolicyId.Ref).toMatch(/^ToOrigin/)
  })

  it("forwards the token and source of live channel handshakes, and the platform's host", () => {
    const liveBehavior = distribution.CacheBehaviors.find(
      ({ PathPattern }: { PathPattern: string }) => PathPattern === '/live',
    )
    expect(liveBehavior.TargetOriginId).toBe(distribution.Origins[1].Id)
    const { HeadersConfig } = configOf('AWS::CloudFront::OriginRequestPolicy', 'ToChannel').OriginRequestPolicyConfig
    expect(HeadersConfig.HeaderBehavior).toBe('whitelist')
    // Limits the headers to ten, the maximum of CloudFront.
    expect(HeadersConfig.Headers.length).toBeLessThanOrEqual(10)
    expect(HeadersConfig.Headers).toEqual(
      expect.arrayContaining(['Sec-WebSocket-Key', 'Sec-WebSocket-Version', 'CloudFront-Viewer-Address']),
    )
    const { CachePolicyConfig } = configOf('AWS::CloudFront::CachePolicy', 'Handshakes')
    const kept = CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin.HeadersConfig
    expect(kept.Headers).toEqual(expect.arrayContaining(['Authorization', 'Origin']))
    expect([...kept.Headers, ...HeadersConfig.Headers]).not.toContain('Host')
  })

  it('does not cache API responses, including errors', () => {
    // Expects the id of the managed policy CachingDisabled.
    expect(distribution.DefaultCacheBehavior.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad')
    const codes = distribution.CustomErrorResponses as { ErrorCode: number; ErrorCachingMinTTL: number }[]
    expect(codes.map(({ ErrorCode }) => ErrorCode)).toEqual([400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504])
    for (const code of codes) expect(code).toEqual({ ErrorCode: code.ErrorCode, ErrorCachingMinTTL: 0 })
  })

  it('caches the public pages by their headers, in each encoding', () => {
    expect(distribution.CacheBehaviors.map(({ PathPattern }: { PathPattern: string }) => PathPattern)).toEqual([
      '/openapi',
      '/openapi.json',
      '/seal.pub',
      '/docs',
      '/docs/redoc.standalone.js',
      '/console/_/*',
      '/live',
    ])
    const CachePolicyConfig = configOf('AWS::CloudFront::CachePolicy', 'Pages').CachePolicyConfig
    expect(CachePolicyConfig).toMatchObject({ MinTTL: 0, DefaultTTL: 0 })
    expect(CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin).toMatchObject({
      EnableAcceptEncodingBrotli: true,
      EnableAcceptEncodingGzip: true,
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'none' },
    })
  })

  it("reaches the API at its domain's target by TLS only, with a longer timeout than the API", () => {
    const [domain] = templates.entries('AWS::ApiGatewayV2::DomainName')[0] as [string, Resource]
    const safe = {
      OriginCustomHeaders: [expect.objectContaining({ HeaderName: 'x-origin-secret' })],
      CustomOriginConfig: expect.objectContaining({
        OriginProtocolPolicy: 'https-only',
        OriginSSLProtocols: ['TLSv1.2'],
        OriginReadTimeout: 35,
      }),
    }
    expect(distribution.Origins).toEqual([
      expect.objectContaining({ DomainName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] }, ...safe }),
      expect.objectContaining(safe),
    ])
    expect(JSON.stringify(distribution.Origins[1].DomainName)).toContain('.execute-api.')
    expect(distribution.ViewerCertificate).toMatchObject({
      AcmCertificateArn: settings.frontCertificateArn,
      MinimumProtocolVersion: 'TLSv1.2_2021',
    })
    expect(distribution.Aliases).toEqual(['access.example.com'])
  })
})

describe('the origin secret', () => {
  it('is in no template: CloudFormation resolves its current value', () => {
    const [id] =
      templates.entries('AWS::SecretsManager::Secret').find(([name]) => name.startsWith('OriginSecret')) ?? []
    expect(distribution.Origins[0].OriginCustomHeaders).toEqual([
      {
        HeaderName: 'x-origin-secret',
        HeaderValue: { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:current::}}']] },
      },
    ])
  })

  it('is rotated by a function with permissions on only the secret and the distribution', async () => {
    expect(only('AWS::SecretsManager::RotationSchedule').RotationRules).toEqual({ AutomaticallyAfterDays: 30 })
    const often = await templatesOf([], { ...settings, originSecretDays: 7 })
    expect(only('AWS::SecretsManager::RotationSchedule', often).RotationRules).toEqual({ AutomaticallyAfterDays: 7 })
    const [, policy] = templates.entries('AWS::IAM::Policy').find(([id]) => id.startsWith('RotationRole')) as [
      string,
      Resource,
    ]
    const statements = policy.Properties.PolicyDocument.Statement as { Action: string | string[]; Resource: unknown }[]
    expect(statements.flatMap(({ Action }) => Action).filter((action) => !action.startsWith('logs:'))).toEqual([
      'secretsmanager:DescribeSecret',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'secretsmanager:UpdateSecretVersionStage',
      'cloudfront:GetDistribution',
      'cloudfront:GetDistributionConfig',
      'cloudfront:UpdateDistribution',
      'wafv2:GetWebACL',
    ])
    for (const { Resource } of statements) expect(Resource).not.toBe('*')
  })

  it('raises an alarm to the general topic if it is not rotated', () => {
    const [alarm] = templates.entries('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith('RotationFailing'))
    const [rotator] = templates.entries('AWS::Lambda::Function').filter(([id]) => id.startsWith('Rotation'))
    const topic = [{ Ref: templates.entries('AWS::SNS::Topic')[0]?.[0] }]
    expect(alarm?.[1].Properties).toMatchObject({
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: rotator?.[0] } }],
      AlarmActions: topic,
      OKActions: topic,
    })
  })

  it('is rotated only by Secrets Manager of this account, with time for every edge location', () => {
    const [id, rotator] = templates
      .entries('AWS::Lambda::Function')
      .find(([, { Properties }]) => Properties.Handler === 'tasks/rotate-origin-secret.handler') as [string, Resource]
    expect(rotator.Properties.Timeout).toBe(900)
    const permissions = templates
      .all('AWS::Lambda::Permission')
      .map(({ Properties }) => Properties)
      .filter(({ FunctionName }) => JSON.stringify(FunctionName).includes(id))
    expect(permissions).toEqual([
      expect.objectContaining({ Principal: 'secretsmanager.amazonaws.com', SourceAccount: { Ref: 'AWS::AccountId' } }),
    ])
  })
})

describe('the web ACL', () => {
  type Rule = {
    Name: string
    Statement: Record<string, { RuleActionOverrides?: { Name: string; ActionToUse: object }[] }>
  }
  const counted = (group: string) =>
    (
      (acl.Rules as Rule[]).find(({ Name }) => Name === group)?.Statement.ManagedRuleGroupStatement
        ?.RuleActionOverrides ?? []
    )
      .filter(({ ActionToUse }) => 'Count' in ActionToUse)
      .map(({ Name }) => Name)

  it('does not block requests by the content or size of their bodies', () => {
    expect(counted('AWSManagedRulesCommonRuleSet')).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_BODY',
        'EC2MetaDataSSRF_BODY',
        'GenericLFI_BODY',
        'GenericRFI_BODY',
        'CrossSiteScripting_BODY',
      ]),
    )
    expect(counted('AWSManagedRulesKnownBadInputsRuleSet')).toEqual(
      expect.arrayContaining(['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY']),
    )
  })

  it('does not block requests with filters, or devices without a user agent', () => {
    expect(counted('AWSManagedRulesCommonRuleSet')).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_QUERYSTRING',
        'EC2MetaDataSSRF_QUERYARGUMENTS',
        'RestrictedExtensions_QUERYARGUMENTS',
        'NoUserAgent_HEADER',
      ]),
    )
  })

  it('blocks an address with too many requests', async () => {
    const limitOf = ({ Rules }: Resource['Properties']) =>
      Rules.find(({ Name }: Rule) => Name === 'RequestsPerAddress').Statement.RateBasedStatement
    expect(limitOf(acl)).toEqual({ Limit: 60_000, AggregateKeyType: 'IP', EvaluationWindowSec: 300 })
    const strict = await templatesOf([], { ...settings, requestsPerAddress: 500 })
    expect(limitOf(only('AWS::WAFv2::WebACL', strict)).Limit).toBe(500)
  })

  it("has CloudFront's scope, and is in the region that the distribution reads", () => {
    expect(acl.Scope).toBe('CLOUDFRONT')
    expect(distribution.WebACLId).toEqual({ 'Fn::GetAtt': [templates.entries('AWS::WAFv2::WebACL')[0]?.[0], 'Arn'] })
  })

  it('redacts tokens, queries and bodies in its log', () => {
    expect(acl.DataProtectionConfig.DataProtections).toEqual([
      { Action: 'SUBSTITUTION', Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization', 'cookie'] } },
      { Action: 'SUBSTITUTION', Field: { FieldType: 'QUERY_STRING' } },
      { Action: 'SUBSTITUTION', Field: { FieldType: 'BODY' } },
    ])
    for (const { VisibilityConfig } of [acl, ...acl.Rules]) expect(VisibilityConfig.SampledRequestsEnabled).toBe(false)
    expect(only('AWS::WAFv2::LoggingConfiguration').LoggingFilter.DefaultBehavior).toBe('DROP')
  })

  it("can be the company's own", async () => {
    const webAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/ours/1-2-3'
    const ownTemplates = await templatesOf([], { ...settings, webAclArn })
    expect(ownTemplates.all('AWS::WAFv2::WebACL')).toEqual([])
    expect(only('AWS::CloudFront::Distribution', ownTemplates).DistributionConfig.WebACLId).toBe(webAclArn)
  })
})

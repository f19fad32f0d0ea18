import { describe, expect, it } from 'vitest'
import { templatesOf } from '#test/support/service/templates.ts'

const templates = await templatesOf([])

it('has a function for each route of the channel, created one by one, and a stage that opens afterwards', () => {
  const routes = templates.all('AWS::ApiGatewayV2::Route')
  expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(['$connect', '$default', '$disconnect'])
  const [stage] = templates.all('AWS::ApiGatewayV2::Stage').filter(({ Properties }) => Properties.StageName === 'live')
  expect(stage?.DependsOn).toHaveLength(1)
  expect(stage?.Properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 500 })
  expect(stage?.Properties.AccessLogSettings).toBeUndefined()
  // Expects dependencies that make CloudFormation create the resources one after another.
  const waiting = [...templates.all('AWS::ApiGatewayV2::Integration'), ...routes].filter(({ DependsOn }) => DependsOn)
  expect(waiting.length).toBeGreaterThanOrEqual(2)
})

it('sends the result of $default to the device', () => {
  const [route] = templates
    .entries('AWS::ApiGatewayV2::Route')
    .filter(([, { Properties }]) => Properties.RouteKey === '$default')
  expect(route?.[1].Properties.RouteResponseSelectionExpression).toBe('$default')
  expect(templates.all('AWS::ApiGatewayV2::RouteResponse').map(({ Properties }) => Properties.RouteId)).toEqual([
    { Ref: route?.[0] },
  ])
})

it('allows only the channel and notifying roles to send messages', () => {
  const senders = templates
    .entries('AWS::IAM::Policy')
    .filter(([, { Properties }]) => JSON.stringify(Properties.PolicyDocument).includes('execute-api:ManageConnections'))
  const roles = senders.map(([, { Properties }]) => Properties.Roles[0].Ref.replace(/^Roles|[0-9A-F]{8}$/g, ''))
  expect(roles.sort()).toEqual(['Client', 'FollowUp', 'Gateway', 'Live'])
  for (const [, { Properties }] of senders) {
    const text = JSON.stringify(Properties.PolicyDocument)
    expect(text).toContain('/live/POST/@connections/*')
    expect(text).toContain('/live/DELETE/@connections/*')
    expect(text).not.toContain('execute-api:*')
  }
})

it('has an access log if the account has a role for it', async () => {
  const logging = await templatesOf([], { liveAccessLog: 'true' })
  const [stage] = logging.all('AWS::ApiGatewayV2::Stage').filter(({ Properties }) => Properties.StageName === 'live')
  const format = JSON.parse(stage?.Properties.AccessLogSettings.Format)
  expect(Object.keys(format)).toEqual(expect.arrayContaining(['source', 'routeKey', 'status', 'connectionId']))
})

it("is reached through the CDN if it has a secret, and disabled without the CDN's address", async () => {
  const urlOf = (from: typeof templates) =>
    from.all('AWS::Lambda::Function').find(({ Properties }) => Properties.Handler === 'live/connect.handler')
      ?.Properties.Environment.Variables.LIVE_URL
  const cdnSecretArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:cdn-AbCdEf'
  const baseUrl = 'https://access.example.com/'
  expect(JSON.stringify(urlOf(templates))).toContain('wss://')
  expect(urlOf(await templatesOf([], { cdnSecretArn, baseUrl }))).toBe('wss://access.example.com/live')
  expect((await templatesOf([], { cdnSecretArn })).all('AWS::ApiGatewayV2::Route')).toEqual([])
})

describe('with a custom domain', async () => {
  const liveCertificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/a'
  const withDomain = await templatesOf([], { liveDomainName: 'live.example.com', liveCertificateArn })
  const variables = withDomain
    .all('AWS::Lambda::Function')
    .flatMap(({ Properties: { Environment } }) => (Environment?.Variables?.LIVE_URL ? [Environment.Variables] : []))

  it('serves the same path, in the region, for both kinds of IP', () => {
    expect(withDomain.all('AWS::ApiGatewayV2::DomainName').map(({ Properties }) => Properties)).toMatchObject([
      {
        DomainName: 'live.example.com',
        DomainNameConfigurations: [
          {
            CertificateArn: liveCertificateArn,
            EndpointType: 'REGIONAL',
            IpAddressType: 'dualstack',
            SecurityPolicy: 'TLS_1_2',
          },
        ],
      },
    ])
    const stages = withDomain
      .entries('AWS::ApiGatewayV2::Stage')
      .filter(([, { Properties }]) => Properties.StageName === 'live')
    expect(withDomain.all('AWS::ApiGatewayV2::ApiMapping').map(({ Properties }) => Properties)).toMatchObject([
      { ApiMappingKey: 'live', ApiId: stages[0]?.[1].Properties.ApiId, Stage: { Ref: stages[0]?.[0] } },
    ])
    const outputs = Object.assign({}, ...withDomain.stacks.map(({ Outputs }) => Outputs))
    expect(outputs.LiveDomainTarget.Value).toEqual({ 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] })
  })

  it("announces the domain to devices, and sends messages to the platform's address, which stays enabled", () => {
    expect(variables.length).toBeGreaterThan(10)
    for (const { LIVE_URL, LIVE_ENDPOINT } of variables) {
      expect(LIVE_URL).toBe('wss://live.example.com/live')
      expect(JSON.stringify(LIVE_ENDPOINT)).toContain('.execute-api.')
    }
    const [api] = withDomain
      .all('AWS::ApiGatewayV2::Api')
      .filter(({ Properties }) => Properties.ProtocolType === 'WEBSOCKET')
    expect(api?.Properties.DisableExecuteApiEndpoint).toBeUndefined()
  })

  it('allows the same roles to send messages', () => {
    const rights = (from: typeof templates) =>
      from
        .all('AWS::IAM::Policy')
        .map(({ Properties }) => JSON.stringify(Properties.PolicyDocument))
        .filter((text) => text.includes('execute-api:ManageConnections'))
    expect(rights(withDomain)).toEqual(rights(templates))
  })
})

it('supports both kinds of IP by default, as the API does', async () => {
  const typeOf = (from: typeof templates) =>
    from.all('AWS::ApiGatewayV2::Api').find(({ Properties }) => Properties.ProtocolType === 'WEBSOCKET')?.Properties
      .IpAddressType
  expect(typeOf(templates)).toBe('dualstack')
  expect(typeOf(await templatesOf([], { ipAddressType: 'ipv4' }))).toBe('ipv4')
})

it('can be disabled without a trace', async () => {
  const without = await templatesOf([], { live: 'false' })
  expect(without.all('AWS::ApiGatewayV2::Route')).toEqual([])
  expect(without.all('AWS::ApiGatewayV2::Api')).toHaveLength(1)
  const functions = JSON.stringify(without.all('AWS::Lambda::Function'))
  expect(functions).not.toContain('LIVE_URL')
  expect(JSON.stringify(without.all('AWS::IAM::Policy'))).not.toContain('ManageConnections')
})

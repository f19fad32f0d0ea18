import { Aws } from 'aws-cdk-lib'
import { CfnApi, CfnIntegration, CfnRoute, CfnRouteResponse, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct, type IDependable } from 'constructs'
import { currentFunction, type FunctionDefaults } from '../functions/current-function.ts'
import { acknowledge, acknowledgeWildcards } from '../nag/acknowledge.ts'
import { may } from '../roles/may.ts'
import { arnOf } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { customDomain } from './custom-domain.ts'
import { integrationUri, invokerRole } from './invoker-role.ts'

const stageName = 'live'

/** Path of the live channel behind a CDN. API Gateway expects the stage name as the path. */
export const livePath = `/${stageName}`

const checkedByFunction =
  'The function behind $connect checks the token, like the functions of the HTTP API. A connection belongs to one session.'
const ofAnotherRole =
  'API Gateway writes this access log with a role of the AWS account. The setting liveAccessLog turns it on where that role exists.'

/** WebSocket API of the live channel (C1). The API must exist before its functions, because their environment contains its address. */
export class LiveApi extends Construct {
  readonly id: string
  readonly host: string
  /** URL for devices: `baseUrl` behind a CDN, else the custom domain of the live channel, else API Gateway's host. */
  readonly url: string
  /** Endpoint for posting to connections. It is always API Gateway's host, so that a DNS change cannot misroute messages. */
  readonly endpoint: string
  readonly functions: IFunction[] = []

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id)
    const { prefix, ipAddressType, baseUrl, cdnSecretArn, liveDomainName } = settings
    const api = new CfnApi(this, 'Api', {
      name: `${prefix}-live`,
      protocolType: 'WEBSOCKET',
      ipAddressType,
      routeSelectionExpression: '$request.body.type',
    })
    this.id = api.ref
    this.host = `${this.id}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    this.endpoint = `https://${this.host}/${stageName}`
    const isBehindCdn = cdnSecretArn !== null && baseUrl !== null
    const baseAddress = isBehindCdn ? baseUrl.replace(/\/$/, '') : liveDomainName && `https://${liveDomainName}`
    this.url = (baseAddress === null ? this.endpoint : baseAddress + livePath).replace(/^http/, 'ws')
  }

  manageConnections(role: Role): void {
    const resources = ['POST', 'DELETE'].map((method) =>
      arnOf(this, 'execute-api', `${this.id}/${stageName}/${method}/@connections/*`),
    )
    role.addToPolicy(may(['execute-api:ManageConnections'], resources))
    acknowledgeWildcards(role, this, resources, 'Connection ids are not known in advance.')
  }

  serve(defaults: FunctionDefaults, role: Role, { logGroupArn: destinationArn }: ILogGroup, settings: Settings): void {
    const { liveAccessLog, liveDomainName, liveCertificateArn, liveRatePerSecond, ipAddressType } = settings
    const functions = ['Connect', 'Disconnect', 'Default'].map((id) => {
      const name = id.toLowerCase()
      return { id, routeKey: `$${name}`, alias: currentFunction(this, id, defaults, `live/${name}.ts`, { role }) }
    })
    this.functions.push(...functions.map(({ alias }) => alias.lambda))
    const arns = functions.map(({ alias }) => alias.functionArn)
    const credentialsArn = invokerRole(this, arns).roleArn
    const apiId = this.id
    // Creates the resources one after another, because API Gateway rejects concurrent changes of an API.
    let last: IDependable[] = []
    for (const { id, routeKey, alias } of functions) {
      const integration = new CfnIntegration(this, `${id}Integration`, {
        apiId,
        integrationType: 'AWS_PROXY',
        integrationUri: integrationUri(alias.functionArn),
        credentialsArn,
      })
      integration.node.addDependency(...last)
      const responseSelection = routeKey === '$default' && { routeResponseSelectionExpression: routeKey }
      const target = `integrations/${integration.ref}`
      const route = new CfnRoute(this, `${id}Route`, {
        apiId,
        routeKey,
        authorizationType: 'NONE',
        target,
        ...responseSelection,
      })
      acknowledge(route, 'AwsSolutions-APIG4', checkedByFunction)
      const response = { apiId, routeId: route.ref, routeResponseKey: '$default' }
      last = [responseSelection ? new CfnRouteResponse(this, `${id}Response`, response) : route]
    }
    const fields = ['requestId', 'routeKey', 'eventType', 'status', 'connectionId', 'integrationLatency']
    const logFields = fields.map((field) => [field, `$context.${field}`])
    const format = JSON.stringify({ ...Object.fromEntries(logFields), source: '$context.identity.sourceIp' })
    const stage = new CfnStage(this, 'Stage', {
      apiId,
      stageName,
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: liveRatePerSecond, throttlingBurstLimit: liveRatePerSecond },
      ...(liveAccessLog && { accessLogSettings: { destinationArn, format } }),
    })
    if (!liveAccessLog) acknowledge(stage, 'AwsSolutions-APIG1', ofAnotherRole)
    stage.node.addDependency(...last)
    const mapping = { apiId, stage: stage.ref, apiMappingKey: stageName }
    customDomain(this, liveDomainName, liveCertificateArn, ipAddressType, mapping, 'LiveDomainTarget')
  }
}

import { Aws } from 'aws-cdk-lib'
import { CfnApi, CfnIntegration, CfnRoute, CfnRouteResponse, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import { type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct, type IDependable } from 'constructs'
import { functionSettings, type Shared } from '../functions/function-settings.ts'
import { live } from '../functions/live.ts'
import { acknowledge, wildcardRule } from '../nag/acknowledge.ts'
import type { Settings } from '../settings/settings.ts'
import { CustomDomain } from './custom-domain.ts'
import { integrationUri } from './integration-uri.ts'
import { invokerRole } from './invoker-role.ts'

const stageName = 'live'

/** What a CDN leads to the channel: the platform reads the name of the stage there. */
export const livePath = `/${stageName}`

/** The routes of the channel, the file of each one's function, and whether what that returns is sent to the device. */
const routes = [
  { key: '$connect', id: 'Connect', file: 'live/connect.ts', answers: false },
  { key: '$disconnect', id: 'Disconnect', file: 'live/disconnect.ts', answers: false },
  { key: '$default', id: 'Default', file: 'live/default.ts', answers: true },
]

const checkedByFunction =
  'The function behind $connect checks the token, as each function of the HTTP API does; a connection stays that of its session.'
const ofAnotherRole =
  'An access log of a WebSocket API is written as a role that the account names for all its APIs; liveAccessLog says that it does.'

type Served = { code: Code; shared: Shared; role: Role; accessLogs: ILogGroup; settings: Settings }

/** Where devices connect, unless by the address that API Gateway makes up: the CDN's name, or the channel's own. */
function ownAddress({ baseUrl, cdnSecretArn, liveDomainName }: Settings): string | null {
  if (cdnSecretArn !== null && baseUrl !== null) return baseUrl.replace(/\/$/, '') + livePath
  return liveDomainName && `https://${liveDomainName}${livePath}`
}

/** The WebSocket API of the live channel (C1). It is there before its functions, which are told its address. */
export class LiveApi extends Construct {
  readonly id: string
  /** Host of the platform that the channel is at. */
  readonly host: string
  /** Where devices connect: behind a CDN that proves itself by its name, else by the channel's own where it has one. */
  readonly url: string
  /**
   * Where functions send messages for connections: the platform's own name, also where devices connect by another. So what a DNS says
   * of that decides nothing about messages, and nothing is said to the wrong one while it moves.
   */
  readonly endpoint: string
  readonly functions: LambdaFunction[] = []
  readonly #api: CfnApi

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id)
    const { prefix, ipAddressType } = settings
    this.#api = new CfnApi(this, 'Api', {
      name: `${prefix}-live`,
      protocolType: 'WEBSOCKET',
      ipAddressType,
      routeSelectionExpression: '$request.body.type',
    })
    this.id = this.#api.ref
    this.host = `${this.#api.ref}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    this.endpoint = `https://${this.host}/${stageName}`
    this.url = (ownAddress(settings) ?? this.endpoint).replace(/^http/, 'ws')
  }

  /** Gives the right to send messages for connections and to close them. */
  manageConnections(role: Role): void {
    const path = `${this.#api.ref}/${stageName}`
    const resources = ['POST', 'DELETE'].map(
      (method) => `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${path}/${method}/@connections/*`,
    )
    role.addToPolicy(new PolicyStatement({ actions: ['execute-api:ManageConnections'], resources }))
    for (const resource of resources) acknowledge(role, wildcardRule(this, resource), 'Devices come and go.')
  }

  /** Makes the functions, the routes that lead to them, and the stage that is open once they do. */
  serve({ code, shared, role, accessLogs, settings }: Served): void {
    const made = routes.map((route) => {
      const made = new LambdaFunction(this, route.id, { ...functionSettings(shared, code, route.file), role })
      this.functions.push(made)
      return { ...route, arn: live(made, shared.loaded).functionArn }
    })
    const arns = made.map(({ arn }) => arn)
    const invoker = invokerRole(this, 'Invoker', arns)
    const apiId = this.#api.ref
    // One after the other: each changes the API, and API Gateway refuses changes that meet.
    let last: IDependable | undefined
    for (const { key, id, arn, answers } of made) {
      const integration = new CfnIntegration(this, `${id}Integration`, {
        apiId,
        integrationType: 'AWS_PROXY',
        integrationUri: integrationUri(arn),
        credentialsArn: invoker.roleArn,
      })
      if (last) integration.node.addDependency(last)
      const route = new CfnRoute(this, `${id}Route`, {
        apiId,
        routeKey: key,
        authorizationType: 'NONE',
        target: `integrations/${integration.ref}`,
        ...(answers && { routeResponseSelectionExpression: '$default' }),
      })
      acknowledge(route, 'AwsSolutions-APIG4', checkedByFunction)
      last = answers
        ? new CfnRouteResponse(this, `${id}Response`, { apiId, routeId: route.ref, routeResponseKey: '$default' })
        : route
    }
    const stage = this.addStage(accessLogs, settings, last)
    const { liveDomainName: domainName, liveCertificateArn: certificateArn, ipAddressType } = settings
    if (domainName !== null && certificateArn !== null) {
      const names = { domainName, certificateArn, ipAddressType, apiId, stage: stage.ref }
      new CustomDomain(this, 'Domain', { ...names, path: stageName, output: 'LiveDomainTarget' })
    }
  }

  private addStage(accessLogs: ILogGroup, settings: Settings, after: IDependable | undefined): CfnStage {
    const fields = ['requestId', 'routeKey', 'eventType', 'status', 'connectionId', 'integrationLatency']
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.#api.ref,
      stageName,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: settings.liveRatePerSecond,
        throttlingBurstLimit: settings.liveRatePerSecond,
      },
      ...(settings.liveAccessLog && {
        accessLogSettings: {
          destinationArn: accessLogs.logGroupArn,
          format: JSON.stringify({
            ...Object.fromEntries(fields.map((field) => [field, `$context.${field}`])),
            source: '$context.identity.sourceIp',
          }),
        },
      }),
    })
    if (!settings.liveAccessLog) acknowledge(stage, 'AwsSolutions-APIG1', ofAnotherRole)
    if (after) stage.node.addDependency(after)
    return stage
  }
}

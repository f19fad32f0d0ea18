import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { Alias, Code } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { RoutedSource } from '#functions/operations.ts'
import { accessLogFormat } from './api/access-log-format.ts'
import { type ApiRoute, apiBody } from './api/api-body.ts'
import { customDomain } from './api/custom-domain.ts'
import { LiveApi, livePath } from './api/live-api.ts'
import { OperationStack } from './api/operation-stack.ts'
import { collectionOf, servedPath } from './api/route-id.ts'
import { routeLimits } from './api/route-limits.ts'
import { routedFunctions, toRoutedFunctions } from './api/routed-functions.ts'
import { loadedCode } from './code/loaded-code.ts'
import { consoleRoutes, publicRoutes, sealPub, signInPages } from './code/public-routes.ts'
import { ConcurrencyCheck } from './functions/concurrency-check.ts'
import { consumeStreams } from './functions/consumers.ts'
import { currentFunction, type FunctionDefaults } from './functions/current-function.ts'
import { environment } from './functions/environment.ts'
import { passcodeMailer } from './functions/passcode-mailer.ts'
import { reservationOf, toReservation, totalReserved } from './functions/reserved-concurrency.ts'
import { addSchedules } from './functions/schedules.ts'
import { addTasks } from './functions/tasks.ts'
import { tokenSecretArns, tokenSecretNames } from './functions/token-secrets.ts'
import { acknowledgeWildcards } from './nag/acknowledge.ts'
import { operatorPolicies } from './operators/operator-policies.ts'
import { may } from './roles/may.ts'
import { Roles } from './roles/roles.ts'
import { stackIdSuffix } from './settings/generated-names.ts'
import type { Settings } from './settings/settings.ts'
import type { Data } from './storage/data-stack.ts'
import type { Storage } from './storage/storage.ts'
import { StoredData } from './storage/stored-data.ts'
import { archiveLogs } from './watch/log-archive.ts'
import { Monitoring } from './watch/monitoring.ts'

type Props = { settings: Settings; operations: RoutedSource[]; code: string; versions: boolean; data: Data }

/** True for an operation that only the console uses (K11.G1). */
const isOfConsole = ({ method, path }: RoutedSource['operation']): boolean =>
  path === '/sign_in/session' && method !== 'DELETE'

/** Route for alternative spellings of paths under `/v0` (`/v0` contract, 2.3, 2.4). */
const otherV0Routes = 'ANY /v0/{proxy+}'

/** Stack with the service but without its data: API, one function per operation or family, consumers, schedules and tasks. */
export class ServiceStack extends Stack {
  /** DNS target for the custom domain; null without a custom domain. */
  readonly domainTarget: string | null
  /** Host of the live channel; null if there is none. */
  readonly channelHost: string | null
  readonly alarmTopic: ITopic

  constructor(scope: Construct, id: string, { settings, operations: all, code, versions, data: dataStack }: Props) {
    // Leaves out indentation, which would take up a third of CloudFormation's template limit of 1 MB.
    super(scope, id, { description: 'Network Access Administration', suppressTemplateIndentation: true })
    const operations = settings.console ? all : all.filter(({ operation }) => !isOfConsole(operation))
    const data = new StoredData(this, 'Data', dataStack)
    const { storage, functionLogs: logGroup, accessLogs } = data
    const channel = hasChannel(settings) ? new LiveApi(this, 'LiveChannel', settings) : null
    this.channelHost = channel?.host ?? null
    const roles = new Roles(this, storage, logGroup, settings, channel)
    const passcodeFunction = `${settings.prefix}-mail-passcode-${stackIdSuffix(this)}`
    // Leaves out the API's own address, because the API depends on these functions.
    const behindApi: FunctionDefaults = {
      code: Code.fromAsset(code),
      logGroup,
      tracing: settings.tracing,
      loaded: versions ? loadedCode(code) : null,
      environment: environment(settings, storage, channel, passcodeFunction),
    }
    const reserved = totalReserved(operations, settings)
    const check = new ConcurrencyCheck(this, behindApi, roles.of.checkConcurrency, reserved, settings.throttleRate)
    const streams = consumeStreams(this, storage, roles, behindApi, settings, check)
    const mailer = passcodeMailer(this, passcodeFunction, roles, behindApi)
    const routes = this.addOperations(operations, code, behindApi, roles, check, settings)
    const ownRoutes = this.addOwnRoutes(behindApi, roles, check, settings)
    const ownKeys = ownRoutes.map(({ key }) => key)
    const limits = routeLimits(operations, ownKeys, settings)
    const { api, address, target } = this.addApi([...routes, ...ownRoutes], limits, accessLogs, settings)
    this.domainTarget = target
    const defaults: FunctionDefaults = { ...behindApi, environment: { ...behindApi.environment, SERVICE_URL: address } }
    channel?.serve(defaults, roles.of.live, accessLogs, settings)
    const tasks = addTasks(this, streams, roles, defaults)
    const scheduled = addSchedules(this, storage, roles, defaults)
    const { topic } = new Monitoring(this, 'Monitoring', {
      apiId: api.ref,
      channel,
      accessLogs,
      functionLogs: logGroup,
      mailer: mailer.lambda,
      storage,
      streams,
      scheduled,
      settings,
      reserved,
    })
    this.alarmTopic = topic
    const provision = this.addProvisioning(defaults, roles, settings, storage)
    archiveLogs(this, {
      settings,
      storage,
      logs: { FunctionLogs: logGroup, AccessLogs: accessLogs },
      tasks: [...Object.values(tasks), provision].map(({ lambda }) => lambda),
      roles: Object.values(roles.of),
    })
    operatorPolicies(this, {
      settings,
      storage,
      logGroups: [logGroup, accessLogs],
      streams,
      tasks: { ...tasks, ProvisionAccount: provision },
      apiIds: [api.ref, ...(channel ? [channel.id] : [])],
      alarmTopicArn: topic.topicArn,
    })
    this.deployFirst([...streams.map(({ alias }) => alias), mailer], check)
    const outputs = {
      ApiEndpoint: address,
      Concurrency: check.finding,
      ...(channel && { LiveEndpoint: `wss://${channel.host}${livePath}` }),
      ProvisionAccountFunction: provision.functionName,
      ...Object.fromEntries(Object.entries(tasks).map(([name, { functionName }]) => [`${name}Function`, functionName])),
    }
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value })
  }

  private addOperations(
    operations: RoutedSource[],
    code: string,
    baseDefaults: FunctionDefaults,
    roles: Roles,
    check: ConcurrencyCheck,
    settings: Settings,
  ): ApiRoute[] {
    const collections = Map.groupBy(operations, ({ operation }) => collectionOf(servedPath(operation)))
    return [...collections].flatMap(([name, members]) => {
      const defaults = { ...baseDefaults, code: Code.fromAsset(code) }
      const stack = new OperationStack(this, `Operations-${name}`, members, defaults, roles, settings)
      if (members.some(({ operation }) => reservationOf(operation, settings))) stack.node.addDependency(check)
      return stack.routes
    })
  }

  /** Adds routes that are not operations. They require no credential, except the alternative spellings of paths under `/v0`. */
  private addOwnRoutes(
    defaults: FunctionDefaults,
    { of }: Roles,
    check: ConcurrencyCheck,
    { signInConcurrency, console }: Settings,
  ): ApiRoute[] {
    const functions = [
      { id: 'UnknownRoute', file: 'api/unknown-route.ts', routes: ['$default'], role: of.public },
      { id: 'OtherV0Route', file: 'v0/other-route.ts', routes: [otherV0Routes], role: of.writer },
      ...toRoutedFunctions(publicRoutes, (file) => (file === sealPub ? of.publicKey : of.public)),
      ...(console ? toRoutedFunctions(consoleRoutes, () => of.public) : []),
      ...toRoutedFunctions(signInPages, () => of.signIn).map((page) => ({
        ...page,
        reserved: toReservation(signInConcurrency),
      })),
    ]
    return routedFunctions(this, defaults, functions, check)
  }

  /** Adds the API with these routes. The address is `baseUrl` if set, or API Gateway's address. */
  private addApi(routes: ApiRoute[], routeSettings: object, logs: ILogGroup, settings: Settings) {
    const { domainName, certificateArn, ipAddressType, prefix, baseUrl, throttleRate, throttleBurst } = settings
    const endpoint = { ipAddressType, disableExecuteApiEndpoint: domainName !== null }
    const api = new CfnApi(this, 'Api', { body: apiBody(prefix, routes, endpoint), failOnWarnings: true })
    const stage = new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: throttleRate, throttlingBurstLimit: throttleBurst },
      routeSettings,
      accessLogSettings: { destinationArn: logs.logGroupArn, format: accessLogFormat },
    })
    const mapping = { apiId: api.ref, stage: stage.ref }
    const target = customDomain(this, domainName, certificateArn, ipAddressType, mapping, 'DomainTarget')
    return { api, target, address: baseUrl ?? api.attrApiEndpoint }
  }

  /** Adds the provisioning task, which creates the secrets for new API tokens but cannot read them. */
  private addProvisioning(
    defaults: FunctionDefaults,
    { of: { provision } }: Roles,
    settings: Settings,
    { key }: Storage,
  ): Alias {
    const secrets = { TOKEN_SECRETS: tokenSecretNames(settings), ...(key && { TOKEN_SECRETS_KEY: key.keyArn }) }
    const props = { ...defaults, environment: { ...defaults.environment, ...secrets } }
    const arns = [tokenSecretArns(this, settings)]
    // Allows both actions, because creating a secret with tags requires both.
    provision.addToPolicy(may(['secretsmanager:CreateSecret', 'secretsmanager:TagResource'], arns))
    acknowledgeWildcards(provision, this, arns, 'The names of the secrets contain the account and the token.')
    // Allows enough time to provision a device pool with 10,000 clients, which takes more than 200 commits.
    const timeout = Duration.minutes(5)
    return currentFunction(this, 'ProvisionAccount', props, 'tasks/provision-account.ts', { role: provision, timeout })
  }

  /** Deploys new versions of readers before those of writers. The concurrency check always runs first. */
  private deployFirst(readers: Alias[], check: ConcurrencyCheck): void {
    // Adds dependencies on the aliases only. Dependencies on all resources would double the template size of the dependent resources.
    const first = readers.flatMap(({ node }) => node.defaultChild ?? [])
    for (const child of this.node.children) {
      if (child === check) continue
      const inside =
        child instanceof OperationStack
          ? [child]
          : child.node.findAll().filter((construct) => construct instanceof Alias)
      for (const construct of inside)
        if (!readers.some((reader) => reader === construct)) construct.node.addDependency(...first)
    }
  }
}

/** True if the deployment has a live channel. Behind a CDN, devices can reach the channel only if `baseUrl` names the CDN. */
const hasChannel = ({ live, cdnSecretArn, baseUrl }: Settings): boolean =>
  live && (cdnSecretArn === null || baseUrl !== null)

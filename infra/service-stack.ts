import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { Alias, Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { accessLogFormat } from './api/access-log-format.ts'
import { type ApiRoute, apiBody } from './api/api-body.ts'
import { CustomDomain } from './api/custom-domain.ts'
import { LiveApi, livePath } from './api/live-api.ts'
import { OperationStack } from './api/operation-stack.ts'
import { publicRoutes, sealPub, signInPages } from './api/public-routes.ts'
import { collectionOf } from './api/route-id.ts'
import { routeLimits } from './api/route-limits.ts'
import { functionsOf, routedFunctions } from './api/routed-functions.ts'
import { loadedCode } from './code/loaded-code.ts'
import { ConcurrencyCheck } from './functions/concurrency-check.ts'
import { Consumers } from './functions/consumers.ts'
import { environment } from './functions/environment.ts'
import { functionSettings, type Shared } from './functions/function-settings.ts'
import { live } from './functions/live.ts'
import { PasscodeMailer } from './functions/passcode-mailer.ts'
import { reserved, reservedOf, reservedTogether } from './functions/reserved.ts'
import { Schedules } from './functions/schedules.ts'
import { Tasks } from './functions/tasks.ts'
import { type TokenSecrets, tokenSecrets } from './functions/token-secrets.ts'
import { acknowledge, wildcardRule } from './nag/acknowledge.ts'
import { OperatorPolicies } from './operators/operator-policies.ts'
import { ownEnd } from './own-end.ts'
import { Roles } from './roles/roles.ts'
import type { Settings } from './settings/settings.ts'
import type { Data } from './storage/data-stack.ts'
import { StoredData } from './storage/stored-data.ts'
import { LogArchive } from './watch/log-archive.ts'
import { Monitoring } from './watch/monitoring.ts'

type Props = { settings: Settings; operations: OperationSource[]; code: string; data: Data }
type Behind = { operations: OperationSource[]; code: string; shared: Shared; roles: Roles }

/** What is spelled otherwise under `/v0` (`/v0` contract, 2.3, 2.4). */
const otherV0Routes = 'ANY /v0/{proxy+}'

/** The service without its data: API, one function an operation, consumers, schedules and the operator's tasks. */
export class ServiceStack extends Stack {
  /** Where the DNS leads the custom domain to; undefined where there is none. */
  readonly domainTarget?: string
  /** Host of the live channel; undefined where there is none. */
  readonly channelHost?: string
  /** Who is told of alarms. */
  readonly alarmTopic: ITopic

  constructor(scope: Construct, id: string, { settings, operations, code, data: made }: Props) {
    // CloudFormation takes templates of 1 MB, of which a third would be blanks.
    super(scope, id, { description: 'Network Access Administration', suppressTemplateIndentation: true })
    const data = new StoredData(this, 'Data', made)
    const { storage, functionLogs: logGroup } = data
    const channel = hasChannel(settings) ? new LiveApi(this, 'LiveChannel', settings) : null
    if (channel) this.channelHost = channel.host
    const roles = new Roles(this, 'Roles', { storage, logGroup, settings, channel })
    const asset = Code.fromAsset(code)
    const passcodeFunction = `${settings.prefix}-mail-passcode-${ownEnd(this)}`
    // The API is made of the functions behind it, so its own address is none of theirs to be told.
    const behindApi: Shared = {
      logGroup,
      tracing: settings.tracing,
      loaded: loadedCode(code),
      environment: environment({ settings, storage, channel, passcodeFunction, urlSuffix: this.urlSuffix }),
    }
    const reservedConcurrency = reservedTogether(operations, settings)
    const check = new ConcurrencyCheck(this, 'ConcurrencyCheck', {
      reserved: reservedConcurrency,
      requestsPerSecond: settings.throttleRate,
      code: asset,
      shared: behindApi,
      role: roles.of.checkConcurrency,
    })
    const consumers = new Consumers(this, 'Consumers', { storage, roles, shared: behindApi, code: asset, settings })
    consumers.node.addDependency(check)
    const passcodes = new PasscodeMailer(this, 'Passcodes', {
      functionName: passcodeFunction,
      roles,
      shared: behindApi,
      code: asset,
    })
    const behind: Behind = { operations, code, shared: behindApi, roles }
    const routes = this.addOperations(behind, check, settings)
    const ownRoutes = this.addOwnRoutes(asset, behind, check, settings)
    const limits = routeLimits(
      operations,
      ownRoutes.map(({ key }) => key),
      settings,
    )
    const { api, address, target } = this.addApi([...routes, ...ownRoutes], limits, data, settings)
    if (target !== undefined) this.domainTarget = target
    const shared: Shared = { ...behindApi, environment: { ...behindApi.environment, SERVICE_URL: address } }
    channel?.serve({ code: asset, shared, role: roles.of.live, accessLogs: data.accessLogs, settings })
    const tasks = new Tasks(this, 'Tasks', { consumers, roles, shared, code: asset })
    const schedules = new Schedules(this, 'Schedules', { storage, roles, shared, code: asset })
    const { topic } = new Monitoring(this, 'Monitoring', {
      apiId: api.ref,
      channel,
      accessLogs: data.accessLogs,
      functionLogs: logGroup,
      mailer: passcodes.mailer,
      serviceName: settings.stackName,
      storage,
      streams: consumers.streams,
      scheduled: schedules.all,
      settings,
      reserved: reservedConcurrency,
      alarmEmail: settings.alarmEmail,
    })
    this.alarmTopic = topic
    const provision = this.addProvisioning(asset, shared, roles, tokenSecrets(this, settings, storage))
    new LogArchive(this, 'LogArchive', {
      settings,
      storage,
      logs: { FunctionLogs: logGroup, AccessLogs: data.accessLogs },
      tasks: [...tasks.functions, provision.lambda],
      roles: Object.values(roles.of),
    })
    new OperatorPolicies(this, 'Operators', {
      settings,
      storage,
      logGroups: [logGroup, data.accessLogs],
      consumers,
      tasks: { ...tasks.arns, breakGlass: [...tasks.arns.breakGlass, provision.functionArn] },
      apiIds: [api.ref, ...(channel ? [channel.id] : [])],
      alarmTopicArn: topic.topicArn,
    })
    this.putFirst([...consumers.streams.map(({ alias }) => alias), passcodes.alias], check)
    this.tell({
      ApiEndpoint: address,
      Concurrency: check.finding,
      ...(channel && { LiveEndpoint: `wss://${channel.host}${livePath}` }),
      ProvisionAccountFunction: provision.functionName,
      ...tasks.functionNames,
    })
  }

  /** A nested stack a collection. */
  private addOperations(
    { operations, code, shared, roles }: Behind,
    check: ConcurrencyCheck,
    settings: Settings,
  ): ApiRoute[] {
    const collections = Map.groupBy(operations, ({ operation }) => collectionOf(operation.path))
    return [...collections].flatMap(([name, members]) => {
      const props = { operations: members, code, shared, roles, settings }
      const stack = new OperationStack(this, `Operations-${name}`, props)
      if (members.some(({ operation }) => reservedOf(operation, settings))) stack.node.addDependency(check)
      return stack.routes
    })
  }

  /** Routes that are no operations. They require no credential, except other spellings of paths under `/v0`. */
  private addOwnRoutes(
    code: Code,
    { shared, roles: { of } }: Behind,
    check: ConcurrencyCheck,
    { signInConcurrency }: Settings,
  ): ApiRoute[] {
    const functions = [
      { id: 'UnknownRoute', file: 'api/unknown-route.ts', routes: ['$default'], role: of.public },
      { id: 'OtherV0Route', file: 'v0/other-route.ts', routes: [otherV0Routes], role: of.writer },
      ...functionsOf(publicRoutes, (file) => (file === sealPub ? of.publicKey : of.public)),
      ...functionsOf(signInPages, () => of.signIn).map((page) => ({ ...page, reserved: reserved(signInConcurrency) })),
    ]
    return routedFunctions(this, { code, shared, functions, check })
  }

  /** The API of these routes, under the address that a deployment has chosen or else that of the API itself. */
  private addApi(routes: ApiRoute[], limits: object, { accessLogs }: Data, settings: Settings) {
    const { domainName, certificateArn, ipAddressType, prefix, baseUrl } = settings
    const endpoint = { ipAddressType, disableExecuteApiEndpoint: domainName !== null }
    const api = new CfnApi(this, 'Api', { body: apiBody(prefix, routes, endpoint), failOnWarnings: true })
    const stage = this.addStage(api, accessLogs, settings, limits)
    let target: string | undefined
    if (domainName !== null && certificateArn !== null) {
      const place = { apiId: api.ref, stage: stage.ref, output: 'DomainTarget' }
      target = new CustomDomain(this, 'Domain', { domainName, certificateArn, ipAddressType, ...place }).target
    }
    return { api, target, address: baseUrl ?? api.attrApiEndpoint }
  }

  private addProvisioning(code: Code, shared: Shared, roles: Roles, secrets: TokenSecrets): Alias {
    const own = { ...shared, environment: { ...shared.environment, ...secrets.environment } }
    const provisioning = new LambdaFunction(this, 'ProvisionAccount', {
      ...functionSettings(own, code, 'tasks/provision-account.ts'),
      role: roles.of.provision,
      // A device pool of 10,000 clients takes more than 200 commits.
      timeout: Duration.minutes(5),
    })
    roles.of.provision.addToPolicy(secrets.creation)
    for (const pattern of secrets.creation.resources)
      acknowledge(roles.of.provision, wildcardRule(this, pattern), 'Secrets are named by account and token.')
    return live(provisioning, shared.loaded)
  }

  /** Whoever reads what others write gets its new version first. The check comes before all, whatever its version. */
  private putFirst(readers: Alias[], check: ConcurrencyCheck): void {
    // The aliases alone: what feeds them would double the size of what waits for them.
    const first = readers.flatMap(({ node }) => node.defaultChild ?? [])
    for (const child of this.node.children) {
      if (child === check) continue
      const inside =
        child instanceof OperationStack ? [child] : child.node.findAll().filter((one) => one instanceof Alias)
      for (const one of inside) if (!readers.some((reader) => reader === one)) one.node.addDependency(...first)
    }
  }

  private tell(outputs: Record<string, string>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value })
  }

  private addStage(api: CfnApi, logs: ILogGroup, settings: Settings, routeSettings: object): CfnStage {
    const { throttleRate, throttleBurst } = settings
    return new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: throttleRate, throttlingBurstLimit: throttleBurst },
      routeSettings,
      accessLogSettings: { destinationArn: logs.logGroupArn, format: accessLogFormat },
    })
  }
}

/** Behind a CDN whose address the deployment is not told nobody could reach it. */
const hasChannel = ({ live, cdnSecretArn, baseUrl }: Settings): boolean =>
  live && (cdnSecretArn === null || baseUrl !== null)

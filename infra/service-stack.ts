import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { accessLogFormat } from './access-log.ts'
import { type ApiRoute, apiBody } from './api-body.ts'
import { ConcurrencyCheck } from './concurrency-check.ts'
import { Consumers } from './consumers.ts'
import { CustomDomain } from './custom-domain.ts'
import type { DataStack } from './data-stack.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { invokerRole } from './invoker-role.ts'
import { live } from './live.ts'
import { LiveApi, livePath } from './live-api.ts'
import { loadedCode } from './loaded-code.ts'
import { Monitoring } from './monitoring.ts'
import { OperationStack } from './operation-stack.ts'
import { PasscodeMailer } from './passcode-mailer.ts'
import { publicRoutes, sealPub, signInPages } from './public-routes.ts'
import { reserved, reservedTogether } from './reserved.ts'
import { Roles } from './roles.ts'
import { collectionOf, routeId } from './route-id.ts'
import { Schedules } from './schedules.ts'
import type { Settings } from './settings/settings.ts'
import { Tasks } from './tasks.ts'

type Props = { settings: Settings; operations: OperationSource[]; code: string; data: DataStack }
type RoutedFunction = { id: string; file: string; routes: string[]; role: Role }

/** What is spelled otherwise under `/v0` (`/v0` contract, 2.3, 2.4). */
const otherV0Routes = 'ANY /v0/{proxy+}'

/** The service without its data: API, one function an operation, consumers, schedules and the operator's tasks. */
export class ServiceStack extends Stack {
  /** Where the DNS leads the custom domain to; undefined where there is none. */
  readonly domainTarget?: string
  /** Host of the live channel; undefined where there is none. */
  readonly channelHost?: string

  constructor(scope: Construct, id: string, { settings, operations, code, data }: Props) {
    super(scope, id, { description: 'Network Access Administration' })
    const { storage, functionLogs: logGroup } = data
    const channel = hasChannel(settings) ? new LiveApi(this, 'LiveChannel', settings) : null
    if (channel) this.channelHost = channel.host
    const roles = new Roles(this, 'Roles', { storage, logGroup, settings, channel })
    const asset = Code.fromAsset(code)
    const passcodeFunction = `${settings.prefix}-mail-passcode`
    // The API is made of the functions behind it, so its own address is none of theirs to be told.
    const behindApi: Shared = {
      logGroup,
      tracing: settings.tracing,
      loaded: loadedCode(code),
      environment: {
        TABLE_NAME: storage.table.tableName,
        URL_SUFFIX: this.urlSuffix,
        FLOW_STREAM_NAME: storage.flows.streamName,
        FAILURES_BUCKET: storage.failures.bucketName,
        SERVICE_SECRET_ARN: storage.secret.secretArn,
        SEAL_BUCKET: storage.sealed.bucketName,
        SEAL_KEY_ID: storage.sealKey.keyArn,
        LOG_RETENTION_DAYS: String(settings.logRetentionDays),
        FLOW_RETENTION_DAYS: String(settings.flowRetentionDays),
        HEARTBEAT_SECS: String(settings.heartbeatSecs),
        SYNC_DELETION_BRAKE_PERCENT: String(settings.syncDeletionBrakePercent),
        LOG_LEVEL: settings.logLevel,
        SERVICE_NAME: settings.stackName,
        METRICS: settings.metrics,
        ...signInEnvironment(settings),
        ...(channel && { LIVE_URL: channel.url, LIVE_ENDPOINT: channel.endpoint }),
        ...syncEnvironment(settings),
        PASSCODE_FUNCTION: passcodeFunction,
        ...(settings.baseUrl && { SERVICE_URL: settings.baseUrl }),
        ...(settings.mailSender && { MAIL_SENDER: settings.mailSender }),
        ...(settings.cdnSecretArn && { CDN_SECRET_ARN: settings.cdnSecretArn }),
      },
    }
    const check = new ConcurrencyCheck(this, 'ConcurrencyCheck', {
      reserved: reservedTogether(settings),
      requestsPerSecond: settings.throttleRate,
      code: asset,
      shared: behindApi,
      role: roles.of.checkConcurrency,
    })
    const consumers = new Consumers(this, 'Consumers', { storage, roles, shared: behindApi, code: asset, settings })
    consumers.node.addDependency(check)
    const { mailer } = new PasscodeMailer(this, 'Passcodes', {
      functionName: passcodeFunction,
      roles,
      shared: behindApi,
      code: asset,
    })
    const collections = Map.groupBy(operations, ({ operation }) => collectionOf(operation.path))
    const ingestConcurrency = reserved(settings.ingestConcurrency)
    const routes = [...collections].flatMap(([name, members]) => {
      const props = { operations: members, code, shared: behindApi, roles, ingestConcurrency }
      const stack = new OperationStack(this, `Operations-${name}`, props)
      if (members.some(reportsFlows)) stack.node.addDependency(check)
      // Whoever reads what others write gets its new version first.
      for (const { alias } of consumers.streams) stack.node.addDependency(alias)
      return stack.routes
    })
    const ownRoutes = this.routedFunctions(asset, behindApi, [
      { id: 'UnknownRoute', file: 'api/unknown-route.ts', routes: ['$default'], role: roles.of.public },
      { id: 'OtherV0Route', file: 'v0/other-route.ts', routes: [otherV0Routes], role: roles.of.writer },
      ...functionsOf(publicRoutes, (file) => (file === sealPub ? roles.of.publicKey : roles.of.public)),
      ...functionsOf(signInPages, () => roles.of.signIn),
    ])
    const { domainName, certificateArn, ipAddressType } = settings
    const endpoint = { ipAddressType, disableExecuteApiEndpoint: domainName !== null }
    const api = new CfnApi(this, 'Api', { body: apiBody(settings.prefix, [...routes, ...ownRoutes], endpoint) })
    const stage = this.addStage(api, data.accessLogs, settings, operations.filter(reportsFlows))
    if (domainName !== null && certificateArn !== null) {
      const names = {
        domainName,
        certificateArn,
        ipAddressType,
        apiId: api.ref,
        stage: stage.ref,
        output: 'DomainTarget',
      }
      this.domainTarget = new CustomDomain(this, 'Domain', names).target
    }
    const address = settings.baseUrl ?? api.attrApiEndpoint
    const shared: Shared = { ...behindApi, environment: { ...behindApi.environment, SERVICE_URL: address } }
    channel?.serve({ code: asset, shared, role: roles.of.live, accessLogs: data.accessLogs, settings })
    const tasks = new Tasks(this, 'Tasks', { consumers, roles, shared, code: asset })
    const schedules = new Schedules(this, 'Schedules', { storage, roles, shared, code: asset })
    new Monitoring(this, 'Monitoring', {
      apiId: api.ref,
      channel,
      accessLogs: data.accessLogs,
      functionLogs: logGroup,
      mailer,
      serviceName: settings.stackName,
      storage,
      streams: consumers.streams,
      scheduled: schedules.all,
      settings,
      alarmEmail: settings.alarmEmail,
    })
    const provisioning = new LambdaFunction(this, 'ProvisionAccount', {
      ...functionSettings(shared, asset, 'tasks/provision-account.ts'),
      role: roles.of.provision,
      // A device pool of 10,000 clients takes more than 200 commits.
      timeout: Duration.minutes(5),
    })
    const provision = live(provisioning, shared.loaded)
    new CfnOutput(this, 'ApiEndpoint', { value: address })
    new CfnOutput(this, 'Concurrency', { value: check.finding })
    if (channel) new CfnOutput(this, 'LiveEndpoint', { value: `wss://${channel.host}${livePath}` })
    new CfnOutput(this, 'ProvisionAccountFunction', { value: provision.functionName })
    new CfnOutput(this, 'RedriveFailedBatchesFunction', { value: tasks.redrive.functionName })
    new CfnOutput(this, 'VerifyChangeLogFunction', { value: tasks.verify.functionName })
    new CfnOutput(this, 'VerifyRowsFunction', { value: tasks.verifyRows.functionName })
    new CfnOutput(this, 'RotateServiceSecretFunction', { value: tasks.rotateSecret.functionName })
    new CfnOutput(this, 'ResealSecretsFunction', { value: tasks.resealSecrets.functionName })
    new CfnOutput(this, 'ReplayCommitsFunction', { value: tasks.replayCommits.functionName })
    new CfnOutput(this, 'IndexChangeLogFunction', { value: tasks.indexChangeLog.functionName })
    new CfnOutput(this, 'BeginSealedLogFunction', { value: tasks.beginSealedLog.functionName })
  }

  /** Functions of their own with their routes: the public pages, and what no other route takes (404 or 405). */
  private routedFunctions(asset: Code, shared: Shared, functions: RoutedFunction[]): ApiRoute[] {
    const made = functions.map(({ id, file, role, routes }) => {
      const lambda = new LambdaFunction(this, id, { ...functionSettings(shared, asset, file), role })
      return { functionArn: live(lambda, shared.loaded).functionArn, routes }
    })
    const arns = made.map(({ functionArn }) => functionArn)
    const invokerArn = invokerRole(this, 'Invoker', arns).roleArn
    return made.flatMap(({ functionArn, routes }) => routes.map((key) => ({ key, functionArn, invokerArn })))
  }

  private addStage(api: CfnApi, logs: ILogGroup, settings: Settings, reports: OperationSource[]): CfnStage {
    const { throttleRate, throttleBurst, ingestRate, ingestBurst } = settings
    return new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: throttleRate, throttlingBurstLimit: throttleBurst },
      routeSettings: Object.fromEntries(
        reports.map(({ operation: { method, path } }) => [
          `${method} ${path}`,
          { ThrottlingRateLimit: ingestRate, ThrottlingBurstLimit: ingestBurst },
        ]),
      ),
      accessLogSettings: { destinationArn: logs.logGroupArn, format: accessLogFormat },
    })
  }
}

/** What sign-in needs to know of the deployment (I1.4). */
const signInEnvironment = (settings: Settings): Record<string, string> => ({
  SIGN_IN_REDIRECT_URIS: settings.signInRedirectUris.join(' '),
  SUITE_ISSUER: settings.suiteIssuer,
  TENANT_ISSUER: settings.tenantIssuer,
  IDP_API_URL: settings.idpApiUrl,
  ...(settings.suiteClientId && { SUITE_CLIENT_ID: settings.suiteClientId }),
  ...(settings.suiteClientSecretArn && { SUITE_CLIENT_SECRET_ARN: settings.suiteClientSecretArn }),
  ...(settings.tenantClientId && { TENANT_CLIENT_ID: settings.tenantClientId }),
  ...(settings.tenantClientSecretArn && { TENANT_CLIENT_SECRET_ARN: settings.tenantClientSecretArn }),
})

/** Behind a CDN whose address the deployment is not told nobody could reach it. */
const hasChannel = ({ live, cdnSecretArn, baseUrl }: Settings): boolean =>
  live && (cdnSecretArn === null || baseUrl !== null)

/** Where directories and device inventories are read (I1.4). */
const syncEnvironment = (settings: Settings): Record<string, string> => ({
  SUITE_TOKEN_URL: settings.suiteTokenUrl,
  SUITE_API_URL: settings.suiteApiUrl,
  TENANT_TOKEN_URL: settings.tenantTokenUrl,
  TENANT_API_URL: settings.tenantApiUrl,
  MDM_API_URL: settings.mdmApiUrl,
})

const reportsFlows = ({ operation }: OperationSource): boolean => operation.credential === 'ingest'

/** One function for each file of these routes, called by the first of its own. */
const functionsOf = (files: Record<string, string>, roleOf: (file: string) => Role): RoutedFunction[] =>
  [...Map.groupBy(Object.entries(files), ([, file]) => file)].map(([file, entries]) => {
    const routes = entries.map(([key]) => key)
    const [method = '', path = ''] = (routes[0] ?? '').split(' ')
    return { id: routeId(method, path), file, routes, role: roleOf(file) }
  })

import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationSource } from '#functions/operations.ts'
import { Consumers } from './consumers.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { Monitoring } from './monitoring.ts'
import { logicalName, OperationStack } from './operation-stack.ts'
import { publicRoutes } from './public-routes.ts'
import { Roles } from './roles.ts'
import { Schedules } from './schedules.ts'
import { readSettings } from './settings.ts'
import { Storage } from './storage.ts'
import { Tasks } from './tasks.ts'
import { invokerRole, wireRoutes } from './wire-routes.ts'

type Props = { operations: OperationSource[]; code: string }
type RoutedFunction = { file: string; routes: string[]; asset: Code; shared: Shared; role: Role }

/** What is spelled otherwise under `/v0` (`/v0` contract, 2.3, 2.4). */
const otherV0Routes = 'ANY /v0/{proxy+}'

/** The whole service: storage, API, one function an operation, consumers, and the provisioning function. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { operations, code }: Props) {
    super(scope, id, { description: 'Network Access Administration' })
    const settings = readSettings(this)
    const storage = new Storage(this, 'Storage', settings)
    const api = new CfnApi(this, 'Api', {
      name: 'network-access',
      protocolType: 'HTTP',
      disableExecuteApiEndpoint: false,
    })
    const logGroup = new LogGroup(this, 'FunctionLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    const roles = new Roles(this, 'Roles', { storage, logGroup, settings })
    const shared: Shared = {
      logGroup,
      environment: {
        TABLE_NAME: storage.table.tableName,
        FLOW_STREAM_NAME: storage.flows.streamName,
        FAILURES_BUCKET: storage.failures.bucketName,
        SERVICE_SECRET_ARN: storage.secret.secretArn,
        SERVICE_URL: settings.baseUrl ?? api.attrApiEndpoint,
        LOG_RETENTION_DAYS: String(settings.logRetentionDays),
        FLOW_RETENTION_DAYS: String(settings.flowRetentionDays),
        HEARTBEAT_SECS: String(settings.heartbeatSecs),
        LOG_LEVEL: settings.logLevel,
        SUITE_ISSUER: settings.suiteIssuer,
        ...(settings.mailSender && { MAIL_SENDER: settings.mailSender }),
        ...(settings.cdnSecretArn && { CDN_SECRET_ARN: settings.cdnSecretArn }),
      },
    }
    const asset = Code.fromAsset(code)
    for (const [collection, members] of byCollection(operations)) {
      new OperationStack(this, `Operations-${collection}`, { operations: members, apiId: api.ref, code, shared, roles })
    }
    const consumers = new Consumers(this, 'Consumers', { storage, roles, shared, code: asset })
    const tasks = new Tasks(this, 'Tasks', { consumers, roles, shared, code: asset })
    const schedules = new Schedules(this, 'Schedules', { storage, roles, shared, code: asset })
    const rightless = { asset, shared, role: roles.of.public }
    this.addRoutes(api, 'UnknownRoute', { ...rightless, file: 'api/unknown-route.ts', routes: ['$default'] })
    const v0Route = { asset, shared, role: roles.of.writer, file: 'v0/other-route.ts', routes: [otherV0Routes] }
    this.addRoutes(api, 'OtherV0Route', v0Route)
    for (const [file, routes] of Map.groupBy(Object.entries(publicRoutes), ([, file]) => file)) {
      this.addRoutes(api, logicalName(file), { ...rightless, file, routes: routes.map(([route]) => route) })
    }
    this.addStage(api)
    new Monitoring(this, 'Monitoring', {
      apiId: api.ref,
      storage,
      streams: consumers.streams,
      scheduled: schedules.all,
      alarmEmail: settings.alarmEmail,
    })
    const provision = new LambdaFunction(this, 'ProvisionAccount', {
      ...functionSettings(shared, asset, 'tasks/provision-account.ts'),
      role: roles.of.provision,
      // A device pool of 10,000 clients takes more than 200 commits.
      timeout: Duration.minutes(5),
    })
    new CfnOutput(this, 'ApiEndpoint', { value: settings.baseUrl ?? api.attrApiEndpoint })
    new CfnOutput(this, 'ProvisionAccountFunction', { value: provision.functionName })
    new CfnOutput(this, 'RedriveFailedBatchesFunction', { value: tasks.redrive.functionName })
    new CfnOutput(this, 'VerifyChangeLogFunction', { value: tasks.verify.functionName })
  }

  /** A function of its own with its routes: the public pages, and what no other route takes (404 or 405). */
  private addRoutes(api: CfnApi, id: string, { file, routes, ...settings }: RoutedFunction): void {
    const lambda = new LambdaFunction(this, id, {
      ...functionSettings(settings.shared, settings.asset, file),
      role: settings.role,
    })
    wireRoutes(this, id, {
      apiId: api.ref,
      functionArn: lambda.functionArn,
      invoker: invokerRole(this, `${id}Invoker`, [lambda.functionArn]),
      routes: routes.map((key) => ({ id: key.replace(/[^a-z0-9]/gi, ''), key })),
    })
  }

  private addStage(api: CfnApi): void {
    const logs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    const fields = ['requestId', 'routeKey', 'status', 'responseLatency', 'integrationErrorMessage']
    new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: {
        destinationArn: logs.logGroupArn,
        format: JSON.stringify(Object.fromEntries(fields.map((field) => [field, `$context.${field}`]))),
      },
    })
  }
}

/** A collection keeps its nested stack whatever is added elsewhere, so no function ever moves between stacks. */
function byCollection(operations: OperationSource[]): Map<string, OperationSource[]> {
  const collections = new Map<string, OperationSource[]>()
  for (const source of operations) {
    const [surface = '', collection = ''] = source.file.split('/')
    const name = surface === 'api' ? collection : `${surface}-${collection}`
    collections.set(name, [...(collections.get(name) ?? []), source])
  }
  return collections
}

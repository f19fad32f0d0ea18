import type { StackResource } from '#infra/template/stack.ts'
import type { World } from './admission.ts'

/** A call that an AWS service makes because of a resource in the templates. */
export type Delivery = {
  service: string
  action: string
  target: string
  context?: Record<string, string>
  /** Role that the service assumes for the call. Without a role, the target's resource policy decides. */
  role?: string
}

type Fields = Record<string, unknown>
type Reader = (found: StackResource, world: World) => Delivery[]

const account = '000000000000'
const region = 'us-east-1'
const arnOf = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`
const from = (arn: string) => ({ 'aws:SourceAccount': account, 'aws:SourceArn': arn, 'aws:SecureTransport': 'true' })
const toStrings = (value: unknown): string[] => [value ?? []].flat().map(String)

/** Builds the calls that an AWS service makes to a KMS key as itself, without a role. */
const keyUses = (service: string, key: string, actions: string[], context: Record<string, string>): Delivery[] =>
  actions.map((action) => ({ service, action: `kms:${action}`, target: key, context }))

/** Extracts the function's ARN from an integration URI, which can have a short or a long form. */
const parseFunctionArn = (uri: unknown): string => String(uri).replace(/^.*\/functions\/(.*)\/invocations$/, '$1')

const integration = (uri: unknown, role: unknown): Delivery => ({
  service: 'apigateway.amazonaws.com',
  action: 'lambda:InvokeFunction',
  target: parseFunctionArn(uri),
  role: String(role),
})

/** Builds the calls that Lambda makes with the function's role to store failed batches and failed invocations. */
function failureDestinationCalls(destination: unknown, role: string, { keyOf }: World): Delivery[] {
  const { OnFailure } = (destination ?? {}) as { OnFailure?: { Destination: string } }
  if (!OnFailure) return []
  const [bucket, by] = [OnFailure.Destination, { service: 'lambda.amazonaws.com', role }]
  const key = keyOf(bucket)
  return [
    { ...by, action: 's3:PutObject', target: `${bucket}/aws/lambda/x`, context: { 'aws:SecureTransport': 'true' } },
    { ...by, action: 's3:ListBucket', target: bucket, context: { 'aws:SecureTransport': 'true' } },
    ...(key === null ? [] : [viaService(by, key, 'GenerateDataKey', 's3')]),
  ]
}

const viaService = (by: { service: string; role: string }, key: string, action: string, name: string): Delivery => ({
  ...by,
  action: `kms:${action}`,
  target: key,
  context: { 'kms:ViaService': `${name}.${region}.amazonaws.com` },
})

const readsStream: Record<string, string[]> = {
  dynamodb: ['DescribeStream', 'GetRecords', 'GetShardIterator'],
  kinesis: ['DescribeStreamSummary', 'GetRecords', 'GetShardIterator', 'ListShards'],
}

/** Functions that return the calls caused by a resource, by resource type. */
const readers: Record<string, Reader> = {
  'AWS::CloudWatch::Alarm': ({ stack, id, properties }, { keyOf }) => {
    const actions = ['AlarmActions', 'OKActions', 'InsufficientDataActions'].flatMap((name) =>
      toStrings(stack.resolve(properties[name])),
    )
    const context = from(arnOf('cloudwatch', `alarm:${stack.physicalId(id)}`))
    const service = 'cloudwatch.amazonaws.com'
    return [...new Set(actions)].flatMap((topic) => {
      const key = keyOf(topic)
      return [
        { service, action: 'sns:Publish', target: topic, context },
        ...(key === null ? [] : keyUses(service, key, ['Decrypt', 'GenerateDataKey'], context)),
      ]
    })
  },
  'AWS::Events::Rule': ({ stack, id, properties }) =>
    (stack.resolve(properties.Targets) as { Arn: string; RoleArn?: string }[]).map(({ Arn, RoleArn }) => ({
      service: 'events.amazonaws.com',
      action: 'lambda:InvokeFunction',
      target: Arn,
      context: from(stack.arn(id)),
      ...(RoleArn && { role: RoleArn }),
    })),
  'AWS::SecretsManager::RotationSchedule': ({ stack, properties }) => [
    {
      service: 'secretsmanager.amazonaws.com',
      action: 'lambda:InvokeFunction',
      target: String(stack.resolve(properties.RotationLambdaARN)),
      context: from(String(stack.resolve(properties.SecretId))),
    },
  ],
  'AWS::ApiGatewayV2::Api': ({ stack, properties: { Body } }) => {
    const paths = ((Body ?? {}) as { paths?: Record<string, Record<string, Fields>> }).paths ?? {}
    return Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((method) => {
        const fields = stack.resolve(method['x-amazon-apigateway-integration']) as Fields | undefined
        return fields ? [integration(fields.uri, fields.credentials)] : []
      }),
    )
  },
  'AWS::ApiGatewayV2::Integration': ({ stack, properties }) => [
    integration(stack.resolve(properties.IntegrationUri), stack.resolve(properties.CredentialsArn)),
  ],
  'AWS::Logs::LogGroup': ({ stack, id, properties }) => {
    if (properties.KmsKeyId === undefined) return []
    const name = properties.LogGroupName ?? stack.physicalId(id)
    const context = { 'kms:EncryptionContext:aws:logs:arn': arnOf('logs', `log-group:${stack.resolve(name)}`) }
    const uses = ['Encrypt', 'Decrypt', 'ReEncryptFrom', 'ReEncryptTo', 'GenerateDataKey', 'DescribeKey']
    return keyUses(`logs.${region}.amazonaws.com`, String(stack.resolve(properties.KmsKeyId)), uses, context)
  },
  'AWS::Lambda::Function': ({ stack, properties }, { logArnOf }) => {
    const { LoggingConfig, Role, TracingConfig } = stack.resolveEach({
      LoggingConfig: properties.LoggingConfig,
      Role: properties.Role,
      TracingConfig: properties.TracingConfig,
    }) as { LoggingConfig: { LogGroup: string }; Role: string; TracingConfig?: object }
    const by = { service: 'lambda.amazonaws.com', role: Role }
    return [
      ...['CreateLogStream', 'PutLogEvents'].map((action) => ({
        ...by,
        action: `logs:${action}`,
        target: logArnOf(LoggingConfig.LogGroup),
      })),
      ...(TracingConfig ? [{ ...by, action: 'xray:PutTraceSegments', target: '*' }] : []),
    ]
  },
  'AWS::Lambda::EventSourceMapping': (found, world) => {
    const { stack, properties } = found
    const role = world.roleOf(String(stack.resolve(properties.FunctionName)))
    const source = String(stack.resolve(properties.EventSourceArn))
    const by = { service: 'lambda.amazonaws.com', role }
    const service = source.split(':')[2] ?? ''
    const key = world.keyOf(source.replace(/\/stream$/, ''))
    return [
      ...(readsStream[service] ?? []).map((action) => ({ ...by, action: `${service}:${action}`, target: source })),
      ...(key === null ? [] : [viaService(by, key, 'Decrypt', service)]),
      ...failureDestinationCalls(stack.resolve(properties.DestinationConfig), role, world),
    ]
  },
  'AWS::Lambda::EventInvokeConfig': ({ stack, properties }, world) =>
    failureDestinationCalls(
      stack.resolve(properties.DestinationConfig),
      world.roleOf(String(stack.resolve(properties.FunctionName))),
      world,
    ),
  'AWS::CodeDeploy::DeploymentGroup': ({ stack, id, properties }, { shiftedBy }) => {
    const by = { service: 'codedeploy.amazonaws.com', role: String(stack.resolve(properties.ServiceRoleArn)) }
    const { Alarms = [] } = stack.resolve(properties.AlarmConfiguration ?? {}) as { Alarms?: { Name: string }[] }
    return [
      ...shiftedBy(stack, id).flatMap((target) =>
        ['GetAlias', 'UpdateAlias'].map((action) => ({ ...by, action: `lambda:${action}`, target })),
      ),
      ...Alarms.map(({ Name }) => ({
        ...by,
        action: 'cloudwatch:DescribeAlarms',
        target: arnOf('cloudwatch', `alarm:${Name}`),
      })),
    ]
  },
  'AWS::Backup::BackupSelection': ({ stack, properties }) => {
    const { IamRoleArn } = stack.resolve(properties.BackupSelection) as { IamRoleArn: string }
    // Lists only the role assumption, because an AWS-managed policy grants the permissions for backups.
    return [{ service: 'backup.amazonaws.com', action: 'sts:AssumeRole', target: IamRoleArn }]
  },
}

/** Resource types that cause no calls, with the properties that would cause calls if they were set. */
const silent: Record<string, string[]> = {
  'AWS::ApiGatewayV2::ApiMapping': [],
  'AWS::ApiGatewayV2::DomainName': [],
  'AWS::ApiGatewayV2::Route': ['AuthorizerId'],
  'AWS::ApiGatewayV2::RouteResponse': [],
  // Lists no properties, because API Gateway writes access logs below `/aws/vendedlogs`, which a resource policy of the deployment allows.
  'AWS::ApiGatewayV2::Stage': [],
  'AWS::Backup::BackupPlan': [],
  'AWS::Backup::BackupVault': ['Notifications'],
  'AWS::CloudFormation::Stack': ['NotificationARNs'],
  // Lists no properties, because CloudFormation invokes the function with the permissions of the deployment role.
  'AWS::CloudFormation::CustomResource': [],
  'AWS::CloudFormation::WaitConditionHandle': [],
  'AWS::CloudFront::CachePolicy': [],
  'AWS::CloudFront::Distribution': ['Logging'],
  'AWS::CloudFront::OriginRequestPolicy': [],
  'AWS::CloudWatch::Dashboard': [],
  'AWS::CodeDeploy::Application': [],
  'AWS::DynamoDB::GlobalTable': ['KinesisStreamSpecification'],
  'AWS::IAM::ManagedPolicy': [],
  'AWS::IAM::Policy': [],
  'AWS::IAM::Role': [],
  'AWS::KMS::Key': [],
  'AWS::Kinesis::Stream': [],
  'AWS::Lambda::Alias': [],
  'AWS::Lambda::Permission': [],
  'AWS::Lambda::Version': [],
  'AWS::Logs::MetricFilter': [],
  'AWS::S3::Bucket': ['NotificationConfiguration', 'ReplicationConfiguration', 'LoggingConfiguration'],
  'AWS::S3::BucketPolicy': [],
  'AWS::SNS::Topic': ['DeliveryStatusLogging'],
  'AWS::SNS::TopicPolicy': [],
  // SNS sends emails without assuming a role.
  'AWS::SNS::Subscription': ['RedrivePolicy', 'SubscriptionRoleArn'],
  'AWS::SecretsManager::Secret': [],
  'AWS::WAFv2::LoggingConfiguration': [],
  'AWS::WAFv2::WebACL': [],
}

/**
 * Returns the calls that AWS services make because of a resource.
 * @throws Error if the type is neither in `readers` nor in `silent`, or if the resource sets a property that would cause calls
 */
export function deliveriesOf(found: StackResource, world: World): Delivery[] {
  const read = readers[found.type]
  if (read) return read(found, world)
  const unused = silent[found.type]
  if (!unused)
    throw new Error(`Add the calls that ${found.type} causes to deliveries.ts, or add it to the types without calls.`)
  const used = unused.find((name) => found.properties[name] !== undefined)
  if (used) throw new Error(`${used} of ${found.id} causes calls of a service: add them to deliveries.ts.`)
  return []
}

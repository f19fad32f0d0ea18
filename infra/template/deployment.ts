import { isDeepStrictEqual } from 'node:util'
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { readAssembly } from './assembly.ts'
import { compileFilters, type Mapping, readMapping, readSchedule, type Schedule } from './mapping.ts'
import { type LiveRoutes, readAliases, readLiveRoutes, readRoutes, type TemplateRoute } from './routes.ts'
import { allStacks, type StackResource, withoutCounterpart } from './stack.ts'

export type TableDefinition = CreateTableCommandInput & { TableName: string; ttlAttribute?: string }
export type StreamDefinition = { name: string; shards: number }

export type DeployedFunction = { arn: string; name: string; codeDir: string; handler: string; timeoutSeconds: number }

/** Parts of the templates that the local runner supports. */
export type Deployment = {
  table: TableDefinition & { arn: string }
  stream: StreamDefinition & { arn: string }
  functions: Map<string, DeployedFunction>
  environment: Record<string, string>
  routes: TemplateRoute[]
  /** Null if the app has no live channel. */
  live: LiveRoutes | null
  mappings: Mapping[]
  schedules: Schedule[]
}

function only(found: StackResource[], label: string): StackResource {
  const [resource, duplicate] = found
  if (!resource || duplicate)
    throw new Error(`The template has ${found.length} resources for the ${label}, but exactly one is required.`)
  return resource
}

/** Properties that `readTable` reads. The first two have the same spelling in CloudFormation and DynamoDB's API. */
type TableProperties = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema'> & {
  TimeToLiveSpecification?: { AttributeName: string; Enabled: boolean }
  StreamSpecification?: { StreamViewType: 'NEW_AND_OLD_IMAGES' }
}

function readTable(found: StackResource): Deployment['table'] {
  const { AttributeDefinitions, KeySchema, ...more } = found.stack.resolveEach(found.properties) as TableProperties
  const { TimeToLiveSpecification: ttl, StreamSpecification: stream } = more
  if (!stream) throw new Error('The table has no stream.')
  return {
    AttributeDefinitions,
    KeySchema,
    TableName: found.stack.physicalId(found.id),
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType },
    ...(ttl?.Enabled && { ttlAttribute: ttl.AttributeName }),
    arn: found.stack.arn(found.id),
  }
}

function readStream({ stack, id, properties }: StackResource): Deployment['stream'] {
  // Uses one shard for an on-demand stream, because the local engine supports provisioned streams only.
  return { name: stack.physicalId(id), shards: Number(stack.resolve(properties.ShardCount) ?? 1), arn: stack.arn(id) }
}

function readEnvironment(functions: StackResource[]): Record<string, string> {
  let first: { id: string; value: Record<string, string> } | undefined
  for (const { stack, id, properties } of functions) {
    const { Variables } = fieldsOf(stack.resolve(properties.Environment))
    // Leaves out the service's address, which the runner sets, and the variables for token secrets, which have no local counterpart.
    const { SERVICE_URL: _address, TOKEN_SECRETS: _prefix, TOKEN_SECRETS_KEY: _key, ...rest } = fieldsOf(Variables)
    // Skips functions without the table's name. They maintain the CDN and are not part of the service.
    if (!('TABLE_NAME' in rest)) continue
    const value = Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, String(text)]))
    first ??= { id, value }
    if (!isDeepStrictEqual(value, first.value)) {
      throw new Error(`The functions ${first.id} and ${id} have different environments; one process can have only one.`)
    }
  }
  return first?.value ?? {}
}

/** Reads the deployment from a synthesized app, so that local wiring matches the wiring on AWS. */
export function readDeployment(outdir: string): Deployment {
  const assembly = readAssembly(outdir)
  const all = allStacks(assembly).flatMap((stack) => stack.all())
  const ofType = (...types: string[]) => all.filter(({ type }) => types.includes(type))
  // Excludes functions with inline code, which the CDK adds and which have no local use.
  const functions = ofType('AWS::Lambda::Function').filter(({ properties }) => {
    return fieldsOf(properties.Code).S3Key !== undefined && String(properties.Runtime).startsWith('nodejs')
  })
  const deployedFunctions = functions.map(
    ({ stack, id, properties }): DeployedFunction => ({
      arn: stack.arn(id),
      name: stack.physicalId(id),
      codeDir: assembly.asset(String(stack.resolve(fieldsOf(properties.Code).S3Key))),
      handler: String(stack.resolve(properties.Handler)),
      timeoutSeconds: Number(stack.resolve(properties.Timeout ?? 3)),
    }),
  )
  const byArn = new Map(deployedFunctions.map((item) => [item.arn, item]))
  const aliases = readAliases(all)
  /** Resolves the ARN of a function or an alias to the function's ARN. */
  const functionArnOf = (arn: string): string | undefined => (byArn.has(arn) ? arn : aliases.get(arn))
  const mappings = ofType('AWS::Lambda::EventSourceMapping')
    .map(({ stack, id, properties }) => ({ id, settings: stack.resolveEach(properties) }))
    .filter(({ settings }) => settings.Enabled !== false)
    .map(({ id, settings }) => {
      const functionArn = functionArnOf(String(settings.FunctionName))
      if (!functionArn) throw new Error(`The event source ${id} has no function.`)
      return readMapping(id, { ...settings, FunctionName: functionArn })
    })
  return {
    table: readTable(only(ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'), 'table')),
    stream: readStream(only(ofType('AWS::Kinesis::Stream'), 'flow stream')),
    functions: byArn,
    environment: readEnvironment(functions),
    routes: readRoutes(all, functionArnOf),
    live: readLiveRoutes(all, functionArnOf),
    mappings,
    schedules: ofType('AWS::Events::Rule')
      .flatMap(({ stack, id, properties }) => readSchedule(id, stack.resolveEach(properties), functionArnOf))
      .filter(({ functionArn }) => !withoutCounterpart.has(byArn.get(functionArn)?.handler ?? '')),
  }
}

/** Serializes a deployment, so that a later start needs neither the CDK nor the templates. */
export const serializeDeployment = ({ functions, ...rest }: Deployment): string =>
  JSON.stringify({ ...rest, functions: [...functions.values()] })

/** Parses a serialized deployment whose functions are in `codeDir`. */
export function parseDeployment(text: string, codeDir: string): Deployment {
  const { functions, mappings, ...rest } = JSON.parse(text)
  return {
    ...rest,
    functions: new Map(functions.map((item: DeployedFunction) => [item.arn, { ...item, codeDir }])),
    mappings: mappings.map((mapping: Mapping) => ({ ...mapping, filter: compileFilters(mapping.patterns) })),
  }
}

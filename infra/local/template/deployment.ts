import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { StreamDefinition, TableDefinition } from '../create-resources.ts'
import { readAliases } from './aliases.ts'
import { allStacks } from './all-stacks.ts'
import { readAssembly } from './assembly.ts'
import { type LiveRoutes, readLiveRoutes } from './live-routes.ts'
import { type Mapping, readMapping } from './mapping.ts'
import { withoutCounterpart } from './resource-types.ts'
import { type ApiRoute, readRoutes } from './routes.ts'
import { readSchedule, type Schedule } from './schedule.ts'
import type { Found } from './stack.ts'

export type DeployedFunction = { arn: string; name: string; codeDir: string; handler: string; timeoutSeconds: number }

/** The parts of the templates that this machine has a counterpart of. */
export type Deployment = {
  table: TableDefinition & { arn: string }
  stream: StreamDefinition & { arn: string }
  functions: Map<string, DeployedFunction>
  environment: Record<string, string>
  routes: ApiRoute[]
  /** Null where devices have no live channel. */
  live: LiveRoutes | null
  mappings: Mapping[]
  schedules: Schedule[]
}

function only(found: Found[], what: string): Found {
  const [one, other] = found
  if (!one || other) throw new Error(`The template has ${found.length} resources for the ${what}; one is needed.`)
  return one
}

const pick = (found: Found, names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, found.stack.resolve(found.properties[name])]))

/** The properties of a table that CloudFormation and the table's own API spell alike, and its time to live. */
type TableProperties = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema'> & {
  TimeToLiveSpecification?: { AttributeName: string; Enabled: boolean }
  StreamSpecification?: { StreamViewType: 'NEW_AND_OLD_IMAGES' }
}

function readTable(found: Found): Deployment['table'] {
  const names = [
    'AttributeDefinitions',
    'KeySchema',
    'GlobalSecondaryIndexes',
    'LocalSecondaryIndexes',
    'StreamSpecification',
    'TimeToLiveSpecification',
  ]
  const { TimeToLiveSpecification: ttl, StreamSpecification: stream, ...rest } = pick(found, names) as TableProperties
  if (!stream) throw new Error('The table has no stream.')
  return {
    ...rest,
    TableName: found.stack.physicalId(found.id),
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType },
    ...(ttl?.Enabled ? { ttlAttribute: ttl.AttributeName } : {}),
    arn: found.stack.arn(found.id),
  }
}

function readStream(found: Found): Deployment['stream'] {
  const { ShardCount } = pick(found, ['ShardCount'])
  // The local engine knows provisioned streams only: one on-demand stream is one shard here.
  return { name: found.stack.physicalId(found.id), shards: Number(ShardCount ?? 1), arn: found.stack.arn(found.id) }
}

function readEnvironment(functions: Found[]): Record<string, string> {
  let first: { id: string; variables: string; value: Record<string, string> } | undefined
  for (const { stack, id, properties } of functions) {
    const { Variables } = fieldsOf(stack.resolve(properties.Environment))
    // All functions here get the address of the runner. There is no Secrets Manager for tokens.
    const { SERVICE_URL: _address, TOKEN_SECRETS: _prefix, TOKEN_SECRETS_KEY: _key, ...rest } = fieldsOf(Variables)
    // What does not know the table is no part of the service: it cares for what stands before it.
    if (!('TABLE_NAME' in rest)) continue
    const entries = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)])
    const value = Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
    const variables = JSON.stringify(value)
    first ??= { id, variables, value }
    if (variables !== first.variables) {
      throw new Error(`The functions ${first.id} and ${id} have different environments; one process can have only one.`)
    }
  }
  return first?.value ?? {}
}

/** Reads the synthesized app: what is wired wrongly for AWS is wired wrongly here. */
export function readDeployment(outdir: string): Deployment {
  const assembly = readAssembly(outdir)
  const all = allStacks(assembly).flatMap((stack) => stack.all())
  const ofType = (...types: string[]) => all.filter(({ type }) => types.includes(type))
  // A function with an inline body belongs to the CDK's own machinery and serves nobody here.
  const functions = ofType('AWS::Lambda::Function').filter(({ properties }) => {
    return fieldsOf(properties.Code).S3Key !== undefined && String(properties.Runtime).startsWith('nodejs')
  })
  const deployed = functions.map(
    ({ stack, id, properties }): DeployedFunction => ({
      arn: stack.arn(id),
      name: stack.physicalId(id),
      codeDir: assembly.asset(String(stack.resolve(fieldsOf(properties.Code).S3Key))),
      handler: String(stack.resolve(properties.Handler)),
      timeoutSeconds: Number(stack.resolve(properties.Timeout ?? 3)),
    }),
  )
  const byArn = new Map(deployed.map((item) => [item.arn, item]))
  const aliases = readAliases(all)
  /** The function that is invoked by its own ARN or that of an alias. */
  const invoked = (arn: string): string | undefined => (byArn.has(arn) ? arn : aliases.get(arn))
  const mappings = ofType('AWS::Lambda::EventSourceMapping')
    .map(({ stack, id, properties }) => ({ id, settings: stack.resolveEach(properties) }))
    .filter(({ settings }) => settings.Enabled !== false)
    .map(({ id, settings }) => {
      const fed = invoked(String(settings.FunctionName))
      if (!fed) throw new Error(`The event source ${id} feeds no function.`)
      return readMapping(id, { ...settings, FunctionName: fed })
    })
  return {
    table: readTable(only(ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'), 'table')),
    stream: readStream(only(ofType('AWS::Kinesis::Stream'), 'flow stream')),
    functions: byArn,
    environment: readEnvironment(functions),
    routes: readRoutes(all, invoked),
    live: readLiveRoutes(all, invoked),
    mappings,
    schedules: ofType('AWS::Events::Rule')
      .flatMap(({ stack, id, properties }) => readSchedule(id, stack.resolveEach(properties), invoked))
      .filter(({ functionArn }) => !withoutCounterpart.has(byArn.get(functionArn)?.handler ?? '')),
  }
}

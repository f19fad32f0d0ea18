import { hash } from 'node:crypto'
import { Duration, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  Alias,
  Architecture,
  CfnFunction,
  CfnVersion,
  type Code,
  type EventInvokeConfigOptions,
  type FunctionProps,
  Function as LambdaFunction,
  Runtime,
  Tracing,
  Version,
} from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { currentAlias } from '#shared/core/current-alias.ts'
import type { LoadedCode } from '../code/loaded-code.ts'

/** Properties that all functions share. The environment is identical for all functions, so that one local process can run them. */
export type FunctionDefaults = {
  environment: Record<string, string>
  logGroup: ILogGroup
  tracing: boolean
  code: Code
  /** Null in an app that is not deployed. Hashing the settings of all functions would take a tenth of the synthesis. */
  loaded: LoadedCode | null
}

/** Memory in MB at which a function has one full vCPU and an invocation costs the least (docs/costs.md). */
const memoryMb = 1_769

export function lambdaFunction(
  scope: Construct,
  id: string,
  { environment, logGroup, tracing, code }: Omit<FunctionDefaults, 'loaded'>,
  file: string,
  overrides: Partial<FunctionProps>,
): LambdaFunction {
  return new LambdaFunction(scope, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code,
    handler: `${file.replace(/\.ts$/, '')}.handler`,
    environment,
    logGroup,
    ...(tracing && { tracing: Tracing.ACTIVE }),
    memorySize: memoryMb,
    timeout: Duration.seconds(29),
    ...overrides,
  })
}

/** File name of a function: `SealLogs` → `seal-logs.ts`. */
export const fileOf = (name: string): string => `${name.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase()}.ts`

const unversionedProperties = ['code', 'tags', 'reservedConcurrentExecutions', 'functionName']

function serializeProperties(resource: CfnFunction): string {
  // biome-ignore lint/complexity/useLiteralKeys: it is protected, and a hand-written list of properties could be incomplete
  const all = Object.entries(resource['cfnProperties'])
  const properties = all.filter(([name]) => !unversionedProperties.includes(name))
  return JSON.stringify(Stack.of(resource).resolve(Object.fromEntries(properties)))
}

/**
 * Creates a function with a version and the alias `current`, through which callers invoke the function. Publishes a version only if the
 * function's settings or loadable modules have changed. The CDK's own hash covers the whole bundle, so with it every code change would
 * publish all functions.
 */
export function currentFunction(
  scope: Construct,
  id: string,
  defaults: FunctionDefaults,
  file: string,
  overrides: Partial<FunctionProps>,
  invokeConfig: EventInvokeConfigOptions = {},
): Alias {
  const lambda = lambdaFunction(scope, id, defaults, file, overrides)
  // Retains the previous version for a rollback, until `PruneVersions` deletes it. If creating a version fails, no version is retained.
  const version = new Version(lambda, 'Version', { lambda, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE })
  const [resource, versionResource] = [lambda.node.defaultChild, version.node.defaultChild]
  if (!CfnFunction.isCfnFunction(resource) || !CfnVersion.isCfnVersion(versionResource))
    throw new Error(`${lambda.node.path} is not a function with a version.`)
  const { handler, description } = resource
  const base: string = Stack.of(lambda).resolve(versionResource.logicalId)
  const loadedHash = defaults.loaded?.(String(handler))
  const content = () => (loadedHash === undefined ? '' : hash('sha256', loadedHash + serializeProperties(resource)))
  versionResource.overrideLogicalId(Lazy.uncachedString({ produce: () => `${base}${content().slice(0, 32)}` }))
  // Adds a hash to the description, because Lambda rejects a new version if nothing has changed. Lambda may treat templates with different
  // hashes as equivalent.
  const describeVersion = () => [description, `[${content().slice(0, 8)}]`].filter(Boolean).join(' ')
  resource.addPropertyOverride('Description', Lazy.uncachedString({ produce: describeVersion }))
  return new Alias(lambda, 'Current', { aliasName: currentAlias, version, ...invokeConfig })
}

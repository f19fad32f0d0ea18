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

/** Properties that all functions share. They have one environment, so that one process can run them all on one machine. */
export type Shared = {
  environment: Record<string, string>
  logGroup: ILogGroup
  tracing: boolean
  /** The bundle, which is an asset of each stack. */
  code: Code
  loaded: LoadedCode
}

/** A whole CPU: what a call takes times what it costs is least with it (docs/costs.md). */
const memoryMb = 1_769

export function lambdaFunction(
  scope: Construct,
  id: string,
  { environment, logGroup, tracing, code }: Omit<Shared, 'loaded'>,
  file: string,
  own: Partial<FunctionProps>,
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
    ...own,
  })
}

/** The file of a function that is called after it: `SealLogs` → `seal-logs.ts`. */
export const fileOf = (name: string): string => `${name.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase()}.ts`

/** Settings that no version has: they are of the function as a whole. */
const ofNoVersion = ['code', 'tags', 'reservedConcurrentExecutions', 'functionName']

function settingsOf(resource: CfnFunction): string {
  // biome-ignore lint/complexity/useLiteralKeys: it is protected, and a list of all properties of our own could lack one
  const all = Object.entries(resource['cfnProperties'])
  const properties = all.filter(([name]) => !ofNoVersion.includes(name))
  return JSON.stringify(Stack.of(resource).resolve(Object.fromEntries(properties)))
}

/**
 * A function, by the alias by which everything invokes it, at a version that is published when what the function can load has
 * changed, or its settings. All functions share one bundle, which every change of code changes: by the CDK's own hash,
 * which is of the bundle, each of them would get a new version then.
 */
export function currentFunction(
  scope: Construct,
  id: string,
  shared: Shared,
  file: string,
  own: Partial<FunctionProps>,
  invoked: EventInvokeConfigOptions = {},
): Alias {
  const lambda = lambdaFunction(scope, id, shared, file, own)
  // The version before stays for a rollback, and `PruneVersions` deletes older ones. A deployment that fails keeps none.
  const version = new Version(lambda, 'Version', { lambda, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE })
  const [resource, published] = [lambda.node.defaultChild, version.node.defaultChild]
  if (!CfnFunction.isCfnFunction(resource) || !CfnVersion.isCfnVersion(published))
    throw new Error(`${lambda.node.path} is no function with a version.`)
  const { handler, description } = resource
  const base: string = Stack.of(lambda).resolve(published.logicalId)
  const loaded = shared.loaded(String(handler))
  const content = () => hash('sha256', loaded + settingsOf(resource))
  published.overrideLogicalId(Lazy.uncachedString({ produce: () => `${base}${content().slice(0, 32)}` }))
  // Lambda refuses a version of what has not changed, and a template can say the same in other words.
  const told = () => [description, `[${content().slice(0, 8)}]`].filter(Boolean).join(' ')
  resource.addPropertyOverride('Description', Lazy.uncachedString({ produce: told }))
  return new Alias(lambda, 'Current', { aliasName: currentAlias, version, ...invoked })
}

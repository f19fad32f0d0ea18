import { createHash } from 'node:crypto'
import { Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  Alias,
  CfnFunction,
  CfnVersion,
  type EventInvokeConfigOptions,
  type Function as LambdaFunction,
  Version,
} from 'aws-cdk-lib/aws-lambda'
import { liveAlias } from '#shared/core/live-alias.ts'
import type { LoadedCode } from '../code/loaded-code.ts'

/** Settings that no version has: they are of the function as a whole. */
const ofNoVersion = ['code', 'tags', 'reservedConcurrentExecutions', 'functionName']

function resourceOf(made: LambdaFunction): CfnFunction {
  const resource = made.node.defaultChild
  if (!CfnFunction.isCfnFunction(resource)) throw new Error(`${made.node.path} is no function.`)
  return resource
}

function settingsOf(made: LambdaFunction): string {
  // biome-ignore lint/complexity/useLiteralKeys: it is protected, and a list of all properties of our own could lack one
  const all = Object.entries(resourceOf(made)['cfnProperties'])
  const properties = all.filter(([name]) => !ofNoVersion.includes(name))
  return JSON.stringify(Stack.of(made).resolve(Object.fromEntries(properties)))
}

/**
 * The alias by which everything invokes a function, at a version that is published when what the function can load has
 * changed, or its settings. All functions share one bundle, which every change of code changes: by the CDK's own hash,
 * which is of the bundle, each of them would get a new version then.
 */
export function live(made: LambdaFunction, loaded: LoadedCode, options: EventInvokeConfigOptions = {}): Alias {
  // The version before stays for a rollback, and `PruneVersions` deletes older ones. A deployment that fails keeps none.
  const version = new Version(made, 'Version', {
    lambda: made,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  const resource = version.node.defaultChild
  if (!CfnVersion.isCfnVersion(resource)) throw new Error(`${version.node.path} is no version.`)
  const { handler, description } = resourceOf(made)
  const base: string = Stack.of(made).resolve(resource.logicalId)
  const content = () =>
    createHash('sha256')
      .update(loaded(String(handler)) + settingsOf(made))
      .digest('hex')
  resource.overrideLogicalId(Lazy.uncachedString({ produce: () => `${base}${content().slice(0, 32)}` }))
  // Lambda refuses a version of what has not changed, and a template can say the same in other words.
  const told = Lazy.uncachedString({
    produce: () => [description, `[${content().slice(0, 8)}]`].filter(Boolean).join(' '),
  })
  resourceOf(made).addPropertyOverride('Description', told)
  return new Alias(made, 'Live', { aliasName: liveAlias, version, ...options })
}

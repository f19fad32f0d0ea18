import { type CfnResource, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import type { OperationSource } from '#functions/operations.ts'
import { withoutCode } from '#infra/without-code.ts'

export type Resource = {
  Type: string
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: templates are looked into at every depth
  Properties: Record<string, any>
}

type Json = { [name: string]: unknown }

/** Freezes a value deeply, because test files share the templates. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

type Contents = {
  Parameters?: Record<string, unknown>
  Resources?: Record<string, Resource>
  Outputs?: Record<string, { Value: unknown }>
}
type Made = { stack: Stack; template: Contents }

const nestedStackId = ({ nestedStackParent, nestedStackResource }: Stack): string =>
  nestedStackParent?.resolve((nestedStackResource as CfnResource | undefined)?.logicalId)

/** Replaces references to other templates with the referenced values, including outputs and parameters of nested stacks. */
function resolveImports(value: unknown, of: Made, all: Made[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveImports(item, of, all))
  if (typeof value !== 'object' || value === null) return value
  const reference = value as Json & { 'Fn::GetStackOutput'?: { StackName: string; OutputName: string } }
  const outputOf = (source: Made | undefined, output: string) =>
    source && resolveImports(source.template.Outputs?.[output]?.Value, source, all)
  if (reference['Fn::GetStackOutput']) {
    const { StackName, OutputName } = reference['Fn::GetStackOutput']
    return outputOf(
      all.find(({ stack }) => !stack.nested && stack.stackName === StackName),
      OutputName,
    )
  }
  const [id, attribute = ''] = [reference['Fn::GetAtt'] ?? []].flat().map(String)
  if (attribute.startsWith('Outputs.')) {
    const nested = all.find(({ stack }) => stack.nestedStackParent === of.stack && nestedStackId(stack) === id)
    return outputOf(nested, attribute.slice('Outputs.'.length))
  }
  const parent = all.find(({ stack }) => stack === of.stack.nestedStackParent)
  const parameter = String(reference.Ref)
  if (parent && of.template.Parameters && parameter in of.template.Parameters) {
    const given = parent.template.Resources?.[nestedStackId(of.stack)]?.Properties.Parameters[parameter]
    return resolveImports(given, parent, all)
  }
  const inside = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolveImports(item, of, all)]))
  return flattenJoins(inside)
}

/** Flattens nested joins and merges adjacent strings. The CDK renders references within one stack in the same form. */
function flattenJoins(value: Json): Json {
  const [separator, parts] = [value['Fn::Join'] ?? []].flat(1) as [string, unknown[]]
  if (separator !== '' || !Array.isArray(parts)) return value
  const inner = parts.flatMap((part) => {
    const [empty, innerParts] = [(part as Json | null)?.['Fn::Join'] ?? []].flat(1) as [string, unknown[]]
    return empty === '' ? innerParts : [part]
  })
  const merged: unknown[] = []
  for (const part of inner) {
    const last = merged.at(-1)
    if (typeof last === 'string' && typeof part === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  return { 'Fn::Join': ['', merged] }
}

const cache = new Map<string, ReturnType<typeof synthesizeTemplates>>()

/**
 * Synthesizes the templates that the app deploys for these operations, without bundling code. Freezes the cached templates, because test
 * files in a process share them.
 * @param versions true to publish a new version of each changed function, for which the synthesis takes a tenth longer
 */
export function templatesOf(operations: OperationSource[], context: Record<string, unknown> = {}, versions = false) {
  const cacheKey = JSON.stringify([
    operations.map(({ file, operation: { method, path } }) => [file, method, path]),
    context,
    versions,
  ])
  const templates = cache.get(cacheKey) ?? synthesizeTemplates(operations, context, versions)
  cache.set(cacheKey, templates)
  return templates
}

async function synthesizeTemplates(operations: OperationSource[], context: Record<string, unknown>, versions: boolean) {
  return withoutCode({ operations, context, versions }, (app) => {
    const found = app.node.findAll().filter((node) => Stack.isStack(node))
    const stacks = found.map((stack) => deepFreeze(Template.fromStack(stack).toJSON()))
    const all = found.map((stack, at): Made => ({ stack, template: stacks[at] as Contents }))
    const resources = all.map((one) =>
      deepFreeze(resolveImports(one.template.Resources ?? {}, one, all) as Record<string, Resource>),
    )
    const entries = resources.flatMap((stack) => Object.entries(stack))
    return {
      /** Raw templates. Stateful stacks come first, and nested stacks follow their parent. */
      stacks,
      /** Resources by template, with references to other stacks resolved. */
      resources,
      stack(name: string) {
        const at = found.findIndex((stack) => !stack.nested && stack.stackName === name)
        if (at < 0) throw new Error(`There is no stack ${name}.`)
        return {
          template: stacks[at] as Record<string, unknown>,
          resources: resources[at] as Record<string, Resource>,
          terminationProtection: found[at]?.terminationProtection,
        }
      },
      names: found.filter(({ nested }) => !nested).map(({ stackName }) => stackName),
      entries: (type: string): [string, Resource][] => entries.filter(([, { Type }]) => Type === type),
      functionOfAlias: ({ Ref }: { Ref: string }): string | undefined =>
        entries.find(([id, { Type }]) => Type === 'AWS::Lambda::Alias' && id === Ref)?.[1].Properties.FunctionName.Ref,
      all: (type: string): Resource[] => entries.map(([, resource]) => resource).filter(({ Type }) => Type === type),
      /** Returns the HTTP API's only resource of a type. The live channel is a separate API. */
      httpApiResource(type: 'AWS::ApiGatewayV2::Api' | 'AWS::ApiGatewayV2::Stage'): Resource & { id: string } {
        const found = entries.filter(([id, { Type }]) => Type === type && !id.startsWith('LiveChannel'))
        if (!found[0] || found.length > 1) throw new Error(`The HTTP API has ${found.length} of ${type}.`)
        return { id: found[0][0], ...found[0][1] }
      },
    }
  })
}

export type Templates = Awaited<ReturnType<typeof templatesOf>>

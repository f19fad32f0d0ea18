import { Stack } from 'aws-cdk-lib'
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

/** Nobody changes what others look at, too. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) frozen(part)
  }
  return value
}

/** Puts in the place of what a template takes from another stack's outputs what that output is. */
function withOutputs<T>(value: T, outputsOf: (stack: string) => Record<string, { Value: unknown }>): T {
  if (Array.isArray(value)) return value.map((item) => withOutputs(item, outputsOf)) as T
  if (typeof value !== 'object' || value === null) return value
  const { 'Fn::GetStackOutput': reference } = value as Json & {
    'Fn::GetStackOutput'?: { StackName: string; OutputName: string }
  }
  if (reference) return outputsOf(reference.StackName)[reference.OutputName]?.Value as T
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withOutputs(item, outputsOf)])) as T
}

const made = new Map<string, ReturnType<typeof synthesized>>()

/**
 * What the app deploys with these operations, without bundling their code: made once for all test files of a process, so
 * it is only looked at.
 */
export function templatesOf(operations: OperationSource[], context: Record<string, unknown> = {}) {
  const asked = JSON.stringify([
    operations.map(({ file, operation: { method, path } }) => [file, method, path]),
    context,
  ])
  const templates = made.get(asked) ?? synthesized(operations, context)
  made.set(asked, templates)
  return templates
}

async function synthesized(operations: OperationSource[], context: Record<string, unknown>) {
  return withoutCode({ operations, context }, (app) => {
    const found = app.node.findAll().filter((node) => Stack.isStack(node))
    const stacks = found.map((stack) => frozen(Template.fromStack(stack).toJSON()))
    const outputsOf = (name: string) => stacks[found.findIndex(({ stackName }) => stackName === name)]?.Outputs ?? {}
    const resources = stacks.map((stack) =>
      frozen(withOutputs((stack.Resources ?? {}) as Record<string, Resource>, outputsOf)),
    )
    const entries = resources.flatMap((stack) => Object.entries(stack))
    return {
      /** The templates as they are, that of what holds data first, nested ones behind their parent. */
      stacks,
      /** The resources of each of them. What comes from an output of another stack is shown as what that output is. */
      resources,
      /** One of the stacks that are deployed by themselves. */
      stack(name: string) {
        const at = found.findIndex((stack) => !stack.nested && stack.stackName === name)
        if (at < 0) throw new Error(`There is no stack ${name}.`)
        return {
          template: stacks[at] as Record<string, unknown>,
          resources: resources[at] as Record<string, Resource>,
          terminationProtection: found[at]?.terminationProtection,
        }
      },
      /** The names of the stacks that are deployed by themselves. */
      names: found.filter(({ nested }) => !nested).map(({ stackName }) => stackName),
      /** Every resource of a type, by its logical id. */
      entries: (type: string): [string, Resource][] => entries.filter(([, { Type }]) => Type === type),
      /** The id of the function that an alias is of, by a reference to the alias. */
      invoked: ({ Ref }: { Ref: string }): string | undefined =>
        entries.find(([id, { Type }]) => Type === 'AWS::Lambda::Alias' && id === Ref)?.[1].Properties.FunctionName.Ref,
      all: (type: string): Resource[] => entries.map(([, resource]) => resource).filter(({ Type }) => Type === type),
      /** A resource of the HTTP API that there is one of. The live channel is an API of its own. */
      ofHttpApi(type: 'AWS::ApiGatewayV2::Api' | 'AWS::ApiGatewayV2::Stage'): Resource & { id: string } {
        const found = entries.filter(([id, { Type }]) => Type === type && !id.startsWith('LiveChannel'))
        if (!found[0] || found.length > 1) throw new Error(`The HTTP API has ${found.length} of ${type}.`)
        return { id: found[0][0], ...found[0][1] }
      },
    }
  })
}

export type Templates = Awaited<ReturnType<typeof templatesOf>>

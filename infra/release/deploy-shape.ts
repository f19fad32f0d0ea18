import { allStacks, withNested } from '../local/template/all-stacks.ts'
import { type Resource, readAssembly } from '../local/template/assembly.ts'
import type { Stack } from '../local/template/stack.ts'

/** How much CloudFormation has to do, and how much of it must wait for each other. */
export type DeployShape = {
  /** By stack, in the order in which they are deployed; those nested in them count as theirs. */
  stacks: { name: string; resources: number; largest: number }[]
  resources: number
  /** The resources of which each waits for the one before, through all stacks that are deployed one after the other. */
  longestChain: string[]
}

/** The resources of the same template that a value names. */
function* named(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    if (name === 'Ref') yield String(item)
    else if (name === 'Fn::GetAtt') yield String(Array.isArray(item) ? item[0] : String(item).split('.')[0])
    else if (name === 'Fn::Sub') {
      for (const [, id = ''] of String([item].flat()[0]).matchAll(/\$\{([^}!.]+)/g)) yield id
      yield* named([item].flat().slice(1))
    } else yield* named(item)
  }
}

const waitedFor = ({ Properties, DependsOn = [] }: Resource): string[] => [...named(Properties), ...[DependsOn].flat()]

const longest = (chains: string[][]): string[] =>
  chains.reduce((best, chain) => (chain.length > best.length ? chain : best), [])

/** The longest row of resources in a stack of which each waits for the one before. That of a nested stack is in its place. */
function chainOf(stack: Stack): string[] {
  const resources = stack.template.Resources ?? {}
  const known = new Map<string, string[]>()
  const upTo = (id: string): string[] => {
    const found = known.get(id)
    if (found) return found
    const resource = resources[id]
    if (!resource) return []
    const before = longest(waitedFor(resource).map(upTo))
    const nested = resource.Type === 'AWS::CloudFormation::Stack' ? chainOf(stack.nested(id)) : []
    const chain = [...before, ...nested, id]
    known.set(id, chain)
    return chain
  }
  return longest(Object.keys(resources).map(upTo))
}

const countOf = ({ template }: Stack): number => Object.keys(template.Resources ?? {}).length

/** The stacks of an assembly, each behind those that it depends on. */
export function deployShape(outdir: string): DeployShape {
  const assembly = readAssembly(outdir)
  const names = new Set(assembly.stacks.map(({ name }) => name))
  const roots = allStacks(assembly).filter(({ name }) => names.has(name))
  const stacks = roots.map((root) => {
    const sizes = withNested(root).map(countOf)
    return { name: root.name, resources: sizes.reduce((sum, size) => sum + size, 0), largest: Math.max(...sizes) }
  })
  return {
    stacks,
    resources: stacks.reduce((sum, { resources }) => sum + resources, 0),
    longestChain: roots.flatMap(chainOf),
  }
}

import type { Assembly } from './assembly.ts'
import { Stack } from './stack.ts'

/** A stack and all that are nested in it. */
export const withNested = (stack: Stack): Stack[] => [
  stack,
  ...stack
    .all()
    .filter(({ type }) => type === 'AWS::CloudFormation::Stack')
    .flatMap(({ id }) => withNested(stack.nested(id))),
]

/** Every stack of the assembly, the nested ones included. */
export function allStacks(assembly: Assembly): Stack[] {
  const roots: Stack[] = []
  const outputOf = (stack: string, output: string): unknown => {
    const found = roots.find(({ name }) => name === stack)
    if (!found) throw new Error(`There is no stack ${stack}.`)
    return found.output(output)
  }
  for (const { name, template } of assembly.stacks) roots.push(new Stack(name, template, assembly, outputOf))
  return roots.flatMap(withNested)
}

import type { DeployShape } from './deploy-shape.ts'

/** The shape of a deployment in words, for who looks at a synthesis or the bench. */
export function shapeText({ stacks, resources, longestChain }: DeployShape): string {
  const lines = stacks.map(
    ({ name, resources: count, largest }) => `  ${name}: ${count}, at most ${largest} in one template\n`,
  )
  return [
    `deploy: ${resources} resources, ${longestChain.length} in the longest chain\n`,
    ...lines,
    `  the longest chain is from ${longestChain[0]} to ${longestChain.at(-1)}\n`,
  ].join('')
}

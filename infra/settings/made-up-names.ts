import type { Settings } from './settings.ts'

/** Length to which CloudFormation cuts a stack's name in the names that it makes up. */
const maxStackName = 20

/**
 * Pattern of the beginning of names that CloudFormation makes up in the stacks of a deployment. It matches names of another install only
 * where the stack's name is so long that it is cut.
 */
export const madeUpNames = ({ stackName }: Pick<Settings, 'stackName'>): string =>
  stackName.length <= maxStackName ? `${stackName}-` : `${stackName.slice(0, maxStackName)}*`

import type { Settings } from './settings.ts'

/** CloudFormation keeps a stack's name of this length whole in the names that it makes up; it cuts a longer one. */
const keptOfStackName = 20

/**
 * Pattern of the beginning of names that CloudFormation makes up in the stacks of a deployment. It has no other install's names in it,
 * unless the stack's name is so long that it is cut.
 */
export const madeUpNames = ({ stackName }: Pick<Settings, 'stackName'>): string =>
  stackName.length <= keptOfStackName ? `${stackName}-` : `${stackName.slice(0, keptOfStackName)}*`

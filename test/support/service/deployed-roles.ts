import { randomUUID } from 'node:crypto'
import { type DeployedRights, deployedRights } from './deployed-rights.ts'
import { evaluate, type Statement } from './iam.ts'
import type { RecordedCall, Target } from './recorded-calls.ts'

export type DeployedRole = { name: string; arn: string; statements: Statement[] }

export const account = randomUUID()

/** Returns a recorded table call whose partition keys belong to the test's account. */
export const onTable = (action: string, ...keys: string[]): RecordedCall => ({
  action: `dynamodb:${action}`,
  target: 'table',
  context: keys.length > 0 ? { 'dynamodb:LeadingKeys': keys.map((key) => `${account}#${key}`) } : {},
})

export const callTo = (action: string, target: Target): RecordedCall => ({ action, target, context: {} })

/** Returns a role's ARN with a suffix like the random one that CloudFormation generates. */
const withSuffix = (arn: string): string =>
  `arn:aws:iam::000000000000:role/${arn.slice(arn.lastIndexOf('/') + 1)}-AbCdEf123456`

/**
 * Reads the roles of all functions from the templates. `decide` evaluates a call with one role, and `allowed` evaluates it with every role.
 */
export async function deployedRoles(context: Record<string, unknown> = { mailSender: 'access@example.net' }) {
  const rights: DeployedRights = await deployedRights(context)
  const roles: DeployedRole[] = [
    ...new Map(
      [...rights.functions.values()].map(({ role, roleArn, statements }) => [
        role,
        { name: role, arn: withSuffix(roleArn), statements },
      ]),
    ).values(),
  ]
  const decide = ({ statements }: { statements: Statement[] }, { action, target, context }: RecordedCall) =>
    evaluate(statements, { action, resource: rights.arnOf(target), context })
  return {
    rights,
    roles,
    decide,
    allowed: (call: RecordedCall): string[] =>
      roles
        .filter((role) => decide(role, call) === 'allowed')
        .map(({ name }) => name)
        .sort(),
  }
}

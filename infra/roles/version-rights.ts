import { ArnFormat, Stack } from 'aws-cdk-lib'
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { acknowledge, wildcardRule } from '../nag/acknowledge.ts'
import { madeUpNames } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'

/** ARN patterns of the service's stacks, functions and versions. A list of all ARNs exceeds the 10,240 characters of a role's policies. */
function named(scope: Construct, settings: Settings) {
  const { stackName, prefix } = settings
  const stack = Stack.of(scope)
  const names = [`${madeUpNames(settings)}*`, `${prefix}-mail-passcode-*`]
  const lambda = (name: string) =>
    stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
  const service = (name: string) =>
    stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: name })
  return {
    own: service(`${stackName}/*`),
    nested: service(`${stackName}-*/*`),
    functions: names.map(lambda),
    // The colon before the number excludes the function as a whole.
    versions: names.map((name) => lambda(`${name}:*`)),
  }
}

/** Rights to roll back and to prune. Both read stacks and versions; one moves aliases, the other deletes versions. */
export function versionRights(scope: Construct, settings: Settings) {
  const { own, nested, functions, versions } = named(scope, settings)
  const reading = [
    new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [own] }),
    new PolicyStatement({ actions: ['cloudformation:ListStackResources'], resources: [own, nested] }),
    new PolicyStatement({ actions: ['lambda:ListVersionsByFunction', 'lambda:GetAlias'], resources: functions }),
  ]
  return {
    rollBack: [...reading, new PolicyStatement({ actions: ['lambda:UpdateAlias'], resources: functions })],
    pruneVersions: [...reading, new PolicyStatement({ actions: ['lambda:DeleteFunction'], resources: versions })],
  }
}

type Users = { rollBack: Role; pruneVersions: Role }

export function acknowledgeVersions(scope: Construct, settings: Settings, { rollBack, pruneVersions }: Users): void {
  const { own, nested, functions, versions } = named(scope, settings)
  const reason = 'CloudFormation makes up names of stacks and functions, and Lambda numbers versions.'
  const read = [own, nested, ...functions]
  for (const resource of read) acknowledge(rollBack, wildcardRule(scope, resource), reason)
  for (const resource of [...read, ...versions]) acknowledge(pruneVersions, wildcardRule(scope, resource), reason)
}

import { Stack, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { IConstruct } from 'constructs'

/** Spells a resource as findings of cdk-nag do, with references in angle brackets. */
function spellResource(value: unknown): string {
  if (typeof value === 'string') return value
  const [[name, argument]] = Object.entries(value as object) as [[string, unknown]]
  if (name === 'Fn::Join') return ((argument as [string, unknown[]])[1] as unknown[]).map(spellResource).join('')
  return `<${name === 'Fn::GetAtt' ? (argument as string[]).join('.') : argument}>`
}

/** Suppresses a cdk-nag rule for a construct and its children, with the reason. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason })
}

/** Suppresses the rule against wildcard resources for a policy. `scope` is in the stack that contains the policy. */
export function acknowledgeWildcards(user: IConstruct, scope: IConstruct, resources: string[], reason: string): void {
  for (const resource of resources)
    acknowledge(user, `AwsSolutions-IAM5[Resource::${spellResource(Stack.of(scope).resolve(resource))}]`, reason)
}

/** Suppresses the rule against wildcards for a bucket's objects whose names Lambda generates. */
export const acknowledgeGeneratedNames = (user: IConstruct, bucket: IBucket, objects: string): void =>
  acknowledgeWildcards(user, bucket, [objects], 'Lambda generates the name of each object.')

/** Suppresses the rule against wildcards for the role of a traced function, which may send traces to X-Ray. */
export const acknowledgeTracing = (role: Role): void =>
  acknowledgeWildcards(role, role, ['*'], 'X-Ray does not support resource-level permissions for traces.')

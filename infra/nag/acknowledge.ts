import { Stack, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { IConstruct } from 'constructs'

/** Formats a resource as cdk-nag does in its findings, with references in angle brackets. */
function spellResource(value: unknown): string {
  if (typeof value === 'string') return value
  const [[name, argument]] = Object.entries(value as object) as [[string, unknown]]
  if (name === 'Fn::Join') return ((argument as [string, unknown[]])[1] as unknown[]).map(spellResource).join('')
  return `<${name === 'Fn::GetAtt' ? (argument as string[]).join('.') : argument}>`
}

/** Suppresses a cdk-nag rule for a construct and its children. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason })
}

/** Suppresses the cdk-nag rule against wildcard resources for a policy. `scope` is any construct in the policy's stack. */
export function acknowledgeWildcards(user: IConstruct, scope: IConstruct, resources: string[], reason: string): void {
  for (const resource of resources)
    acknowledge(user, `AwsSolutions-IAM5[Resource::${spellResource(Stack.of(scope).resolve(resource))}]`, reason)
}

export const acknowledgeGeneratedNames = (user: IConstruct, bucket: IBucket, objects: string): void =>
  acknowledgeWildcards(user, bucket, [objects], 'Lambda generates the name of each object.')

export const acknowledgeTracing = (role: Role): void =>
  acknowledgeWildcards(role, role, ['*'], 'X-Ray does not support resource-level permissions for traces.')

import { Stack, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { IConstruct } from 'constructs'

/** Name of a resource in a finding of cdk-nag: references in angle brackets. */
function spelled(value: unknown): string {
  if (typeof value === 'string') return value
  const [[name, argument]] = Object.entries(value as object) as [[string, unknown]]
  if (name === 'Fn::Join') return ((argument as [string, unknown[]])[1] as unknown[]).map(spelled).join('')
  return `<${name === 'Fn::GetAtt' ? (argument as string[]).join('.') : argument}>`
}

/** Says why a rule of cdk-nag is not for this construct and those in it. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason })
}

/** Says why a policy names these resources by wildcards, as it does in the stack of the scope. */
export function acknowledgeWildcards(user: IConstruct, scope: IConstruct, resources: string[], reason: string): void {
  for (const resource of resources)
    acknowledge(user, `AwsSolutions-IAM5[Resource::${spelled(Stack.of(scope).resolve(resource))}]`, reason)
}

/** Says why these objects of a bucket are named by a wildcard. */
export const acknowledgeMadeUpNames = (user: IConstruct, bucket: IBucket, objects: string): void =>
  acknowledgeWildcards(user, bucket, [objects], 'Lambda makes up the name of each object.')

/** Says why the role of a traced function may write to every resource of X-Ray. */
export const acknowledgeTracing = (role: Role): void =>
  acknowledgeWildcards(role, role, ['*'], 'X-Ray knows no resources: a function may send its traces, or not.')

import { Stack, Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** What cdk-nag calls a resource in a finding: references in angle brackets. */
function spelled(value: unknown): string {
  if (typeof value === 'string') return value
  const [[name, argument]] = Object.entries(value as object) as [[string, unknown]]
  if (name === 'Fn::Join') return ((argument as [string, unknown[]])[1] as unknown[]).map(spelled).join('')
  return `<${name === 'Fn::GetAtt' ? (argument as string[]).join('.') : argument}>`
}

/** The rule of cdk-nag against wildcards, for one resource that a policy names by one. */
export const wildcardRule = (scope: IConstruct, resource: string): string =>
  `AwsSolutions-IAM5[Resource::${spelled(Stack.of(scope).resolve(resource))}]`

/** Says why a rule of cdk-nag is not for this construct and those in it. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason })
}

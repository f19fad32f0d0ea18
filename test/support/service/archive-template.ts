import { readFileSync } from 'node:fs'
import { type Call, evaluate, type ResourceStatement } from './iam.ts'

/** AWS account ids of the service and of the log archive. */
export const [service, archive] = ['123456789012', '210987654321']

/** Reads the template of the log archive with default parameters, and resolves references as CloudFormation does. */
export function archiveTemplate() {
  const { Parameters, Resources, Outputs } = JSON.parse(readFileSync('docs/examples/log-archive.json', 'utf8'))
  const parameters: Record<string, string> = {
    'AWS::AccountId': archive,
    'AWS::Partition': 'aws',
    'AWS::Region': 'eu-central-1',
    ...Object.fromEntries(
      Object.entries<{ Default?: string }>(Parameters).map(([name, { Default }]) => [name, Default]),
    ),
    ServiceAccount: service,
  }
  const arns: Record<string, (id: string) => string> = {
    'AWS::S3::Bucket': (id) => `arn:aws:s3:::${id.toLowerCase()}`,
    'AWS::KMS::Key': (id) => `arn:aws:kms:eu-central-1:${archive}:key/${id}`,
  }
  const attribute = (id: string) => (arns[Resources[id].Type] ?? ((other: string) => `arn:${other}`))(id)
  const reference = (name: string): string =>
    parameters[name] ?? (Resources[name].Type === 'AWS::S3::Bucket' ? name.toLowerCase() : name)
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { Ref, 'Fn::GetAtt': got, 'Fn::Sub': text, ...rest } = value as Record<string, unknown>
    if (Ref !== undefined) return reference(String(Ref))
    if (got !== undefined) return attribute((got as string[])[0] ?? '')
    if (text !== undefined) {
      return String(text).replace(/\$\{([\w:]+)(\.Arn)?\}/g, (_all, name, arn) =>
        arn ? attribute(name) : reference(name),
      )
    }
    return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, resolve(inner)]))
  }
  return resolve({ Resources, Outputs }) as {
    // biome-ignore lint/suspicious/noExplicitAny: templates are looked into at every depth
    Resources: Record<string, any>
    Outputs: Record<string, { Value: string }>
  }
}

const keys = new Set(['aws:PrincipalArn', 'aws:SecureTransport', 'aws:SourceArn', 's3:x-amz-acl'])

/** Evaluates a resource policy for the principal `of`, which is an account id or a service name. */
export function evaluatePolicy(statements: ResourceStatement[], of: string, call: Call) {
  const appliesTo = ({ Principal }: ResourceStatement) =>
    Principal === '*' ||
    Object.values(Principal)
      .flat()
      .some((one) => one === of || one === `arn:aws:iam::${of}:root`)
  return evaluate(
    statements.filter(appliesTo).map(({ Principal: _named, ...rest }) => rest),
    call,
    keys,
  )
}

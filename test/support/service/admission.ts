import type { Stack, StackResource } from '#infra/template/stack.ts'
import { type Delivery, deliveriesOf } from './deliveries.ts'
import { admits, type Decision, evaluateForService, type ResourceStatement, type Statement } from './iam.ts'

type Document<S> = { Statement: S[] }

export type World = {
  /** Customer-managed key that encrypts a topic, bucket, stream or table, or null for an AWS key. */
  keyOf(target: string): string | null
  roleOf(functionArn: string): string
  logArnOf(logGroup: string): string
  /** ARNs of the functions whose aliases are shifted by a deployment group. */
  shiftedBy(stack: Stack, group: string): string[]
}

export type Admission = Delivery & { id: string; decisions: Decision[] }

/** Returns every call that AWS services make because of the resources in these stacks, with the policy decisions. */
export function admissions(stacks: Stack[]): Admission[] {
  const all = stacks.flatMap((stack) => stack.all())
  const ofType = (...types: string[]) => all.filter(({ type }) => types.includes(type))
  const resolved = ({ stack, properties }: StackResource, name: string) => stack.resolve(properties[name])
  const names = ({ stack, id }: StackResource): string[] => [stack.physicalId(id), stack.arn(id)]

  const keys = new Map(
    ofType('AWS::SNS::Topic', 'AWS::S3::Bucket', 'AWS::Kinesis::Stream', 'AWS::DynamoDB::GlobalTable').flatMap(
      (found) => {
        const ownKey = JSON.stringify(found.stack.resolve(collectKeys(found.properties))).match(
          /arn:aws:kms:[^"]+/,
        )?.[0]
        return names(found).map((name) => [name, ownKey ?? null] as const)
      },
    ),
  )
  const functions = ofType('AWS::Lambda::Function')
  const functionOf = (address: string) => {
    const name = address.replace(/^.*function[/:]/, '').split(':')[0]
    const found = functions.find(({ stack, id }) => stack.physicalId(id) === name)
    if (!found) throw new Error(`The templates have no function ${address}.`)
    return found
  }
  const world: World = {
    keyOf: (target) => keys.get(target) ?? null,
    roleOf: (address) => String(resolved(functionOf(address), 'Role')),
    logArnOf: (name) => `arn:aws:logs:us-east-1:000000000000:log-group:${name}:log-stream:x`,
    shiftedBy: (stack, group) =>
      stack.all().flatMap(({ id, type, properties }) => {
        if (type !== 'AWS::Lambda::Alias') return []
        const policy = JSON.stringify(stack.resource(id))
        if (!policy.includes('UpdatePolicy') || !policy.includes(`{"Ref":"${group}"}`)) return []
        const target = functionOf(String(stack.resolve(properties.FunctionName)))
        return [target.stack.arn(target.id)]
      }),
  }

  const roles = new Map(ofType('AWS::IAM::Role').map((found) => [found.stack.arn(found.id), found]))
  const policies = ofType('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')
  const statementsOf = (arn: string): Statement[] => {
    const role = roles.get(arn)
    if (!role) throw new Error(`The templates have no role ${arn}.`)
    const inline = (resolved(role, 'Policies') ?? []) as { PolicyDocument: Document<Statement> }[]
    const name = role.stack.physicalId(role.id)
    const attached = policies.filter((found) => ((resolved(found, 'Roles') ?? []) as string[]).includes(name))
    return [
      ...inline.map(({ PolicyDocument }) => PolicyDocument),
      ...attached.map((found) => resolved(found, 'PolicyDocument') as Document<Statement>),
    ].flatMap(({ Statement }) => Statement)
  }

  const trust = (arn: string): ResourceStatement[] => {
    const role = roles.get(arn)
    return role
      ? (resolved(role, 'AssumeRolePolicyDocument') as Document<ResourceStatement>).Statement.map((one) => ({
          ...one,
          Resource: arn,
        }))
      : []
  }
  const policyOf = (target: string): ResourceStatement[] => {
    const documents: [StackResource, string, string][] = [
      ...ofType('AWS::SNS::TopicPolicy').map((found): [StackResource, string, string] => [
        found,
        'PolicyDocument',
        String(resolved(found, 'Topics')),
      ]),
      ...ofType('AWS::S3::BucketPolicy').map((found): [StackResource, string, string] => [
        found,
        'PolicyDocument',
        `${resolved(found, 'Bucket')}`,
      ]),
    ]
    const documentStatements = documents.flatMap(
      ([found, property]) => (resolved(found, property) as Document<ResourceStatement>).Statement,
    )
    const keyStatements = ofType('AWS::KMS::Key')
      .filter(({ stack, id }) => stack.arn(id) === target)
      .flatMap((found) => (resolved(found, 'KeyPolicy') as Document<ResourceStatement>).Statement)
    return [
      ...documentStatements,
      ...keyStatements,
      ...permissions(ofType('AWS::Lambda::Permission')),
      ...trust(target),
    ]
  }

  return all.flatMap((found) =>
    deliveriesOf(found, world).map((delivery) => {
      const { service, action, target: resource, context = {}, role } = delivery
      const call = { service, action, resource, context }
      const byRole = (arn: string): Decision[] => [
        admits(trust(arn), { service, action: 'sts:AssumeRole', resource: arn, context: {} }),
        evaluateForService(statementsOf(arn), call),
      ]
      return {
        ...delivery,
        id: `${found.type} ${found.id}`,
        decisions: role ? byRole(role) : [admits(policyOf(resource), call)],
      }
    }),
  )
}

function collectKeys(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(collectKeys)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    /^(KmsMasterKeyId|KMSMasterKeyID|KMSMasterKeyId|KeyId)$/.test(name) ? [part] : collectKeys(part),
  )
}

/** Converts each Lambda permission to the policy statement that Lambda creates from it. */
const permissions = (found: StackResource[]): ResourceStatement[] =>
  found.map(({ stack, properties }) => {
    const { Action, FunctionName, Principal, SourceArn, SourceAccount } = stack.resolveEach(properties) as Record<
      string,
      string
    >
    return {
      Effect: 'Allow',
      Principal: { Service: String(Principal) },
      Action: String(Action),
      Resource: String(FunctionName),
      Condition: {
        ...(SourceArn && { ArnLike: { 'aws:SourceArn': SourceArn } }),
        ...(SourceAccount && { StringEquals: { 'aws:SourceAccount': SourceAccount } }),
      },
    }
  })

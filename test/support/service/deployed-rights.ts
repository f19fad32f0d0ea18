import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '#infra/build-app.ts'
import { readAssembly } from '#infra/template/assembly.ts'
import type { Stack } from '#infra/template/stack.ts'
import { allStacks } from '#infra/template/stack.ts'
import type { ResourceStatement, Statement } from './iam.ts'
import type { Target } from './recorded-calls.ts'

type Found = { stack: Stack; id: string; properties: Record<string, unknown> }
type Document = { Statement: Statement[] }

/** Reads every function's permissions from the templates, and the ARNs of the resources that the calls name. */
export async function deployedRights(context: Record<string, unknown> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'rights-'))
  try {
    const code = join(directory, 'code')
    mkdirSync(code)
    writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => {}\n')
    const outdir = join(directory, 'assembly')
    const app = await buildApp({ outdir, code, context, versions: false })
    app.synth()
    return readRights(allStacks(readAssembly(outdir)), context)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function readRights(stacks: Stack[], context: Record<string, unknown>) {
  const ofType = (type: string): Found[] =>
    stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources ?? {})
        .filter(([, { Type }]) => Type === type)
        .map(([id, { Properties = {} }]) => ({ stack, id, properties: stack.resolveEach(Properties) })),
    )
  const findOnly = (type: string, names = /./): Found => {
    const found = ofType(type).filter(({ id }) => names.test(id))
    if (found.length !== 1) throw new Error(`The templates have ${found.length} of ${type} ${names}.`)
    return found[0] as Found
  }
  const byRole = new Map<string, Statement[]>()
  for (const { stack, id, properties } of ofType('AWS::IAM::Role')) {
    if (properties.ManagedPolicyArns) throw new Error(`The role ${id} has policies that are not in the templates.`)
    const inline = (properties.Policies ?? []) as { PolicyDocument: Document }[]
    byRole.set(
      stack.physicalId(id),
      inline.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    )
  }
  for (const { properties } of [...ofType('AWS::IAM::Policy'), ...ofType('AWS::IAM::ManagedPolicy')]) {
    for (const role of (properties.Roles ?? []) as string[]) {
      byRole.get(role)?.push(...(properties.PolicyDocument as Document).Statement)
    }
  }
  const roleArns = new Map(ofType('AWS::IAM::Role').map(({ stack, id }) => [stack.arn(id), stack.physicalId(id)]))
  const functions = new Map<
    string,
    { name: string; role: string; roleArn: string; arn: string; statements: Statement[] }
  >()
  for (const { stack, id, properties } of ofType('AWS::Lambda::Function')) {
    const file = String(properties.Handler).replace(/\.handler$/, '.ts')
    const role = roleArns.get(String(properties.Role)) ?? ''
    if (!file.includes('/')) continue
    functions.set(file, {
      name: stack.physicalId(id),
      role: /Roles([A-Z][A-Za-z]+?)[0-9A-F]{8}/.exec(role)?.[1] ?? role,
      roleArn: String(properties.Role),
      arn: stack.arn(id),
      statements: byRole.get(role) ?? [],
    })
  }
  const [table, flows, failures, sealed, archive, secret] = [
    findOnly('AWS::DynamoDB::GlobalTable'),
    findOnly('AWS::Kinesis::Stream'),
    findOnly('AWS::S3::Bucket', /Failures/),
    findOnly('AWS::S3::Bucket', /Sealed/),
    findOnly('AWS::S3::Bucket', /Archive/),
    findOnly('AWS::SecretsManager::Secret', /SigningSecret/),
  ]
  const sealKey = findOnly('AWS::KMS::Key', /SealKey/)
  const secretKey = findOnly('AWS::KMS::Key', /SecretKey/)
  const live = findOnly('AWS::ApiGatewayV2::Api', /Live/)
  const api = findOnly('AWS::ApiGatewayV2::Api', /^Api/)
  const arns = {
    table: table.stack.arn(table.id),
    flows: flows.stack.arn(flows.id),
    failures: failures.stack.arn(failures.id),
    sealed: sealed.stack.arn(sealed.id),
    archive: archive.stack.arn(archive.id),
    'seal key': sealKey.stack.arn(sealKey.id),
    'secret key': secretKey.stack.arn(secretKey.id),
    secret: String(secret.stack.resolve({ Ref: secret.id })),
    // Ends with six characters, because Secrets Manager appends a random suffix to the ARN of a secret.
    'token secret': `arn:aws:secretsmanager:us-east-1:000000000000:secret:network-access/api-token/${randomUUID()}/${randomUUID()}-AbCdEf`,
  }
  const [replica] = table.properties.Replicas as {
    ResourcePolicy: { PolicyDocument: { Statement: ResourceStatement[] } }
  }[]
  const operators = new Map(
    ofType('AWS::IAM::ManagedPolicy').map(({ id, properties }) => [
      /^Operators(\w+Policy)[0-9A-F]{8}$/.exec(id)?.[1] ?? id,
      (properties.PolicyDocument as Document).Statement,
    ]),
  )
  const outputs = Object.assign(
    {},
    ...stacks.map((stack) =>
      Object.fromEntries(
        Object.entries(stack.template.Outputs ?? {}).map(([name, { Value }]) => [name, () => stack.resolve(Value)]),
      ),
    ),
  ) as Record<string, () => unknown>
  return {
    operators,
    apiId: api.stack.physicalId(api.id),
    output: (name: string): string => String(outputs[name]?.()),
    functions,
    tablePolicy: replica?.ResourcePolicy.PolicyDocument.Statement ?? [],
    arnOf(target: Target): string {
      if (target.startsWith('arn:')) return target
      if (target in arns) return arns[target as keyof typeof arns]
      if (target === 'account') return '*'
      if (target === 'mail') return `arn:aws:ses:us-east-1:000000000000:identity/${context.mailSender}`
      if (target.startsWith('connections/')) {
        const api = `arn:aws:execute-api:us-east-1:000000000000:${live.stack.physicalId(live.id)}`
        return `${api}/live/${target.replace('connections/', '')}/@connections/some`
      }
      if (target.startsWith('sealed/')) return target.replace('sealed', arns.sealed)
      if (target.startsWith('archive/')) return target.replace('archive', arns.archive)
      if (target.startsWith('failures/')) return target.replace('failures', arns.failures)
      const [, name = '', qualifier] = /^function ([^:]+)(:.*)?$/.exec(target) ?? []
      const called = [...functions.values()].find((candidate) => candidate.name === name)
      if (called) return `${called.arn}${qualifier ?? ''}`
      throw new Error(`The templates have no ${target}.`)
    },
  }
}

export type DeployedRights = Awaited<ReturnType<typeof deployedRights>>

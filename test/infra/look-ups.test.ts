import { describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { type Resource, templatesOf } from '#test/support/service/templates.ts'

const account = '111122223333'
const certificate = (region: string) => `arn:aws:acm:${region}:${account}:certificate/1`

/** Settings that create every stack of the app. */
const everything = {
  backupVaultArn: `arn:aws:backup:eu-west-1:${account}:backup-vault:copies`,
  encryptionKey: 'own',
  domainName: 'access.example.com',
  certificateArn: certificate('eu-central-1'),
  frontCertificateArn: certificate('us-east-1'),
}

const adopted = {
  tableStreamArn: `arn:aws:dynamodb:eu-central-1:${account}:table/kept/stream/2026-11-22T08:00:00.000`,
  flowStreamArn: `arn:aws:kinesis:eu-central-1:${account}:stream/kept`,
  failuresBucket: 'kept-failures',
  secretKeyArn: `arn:aws:kms:eu-central-1:${account}:key/secrets`,
  sealBucket: 'kept-seals',
  sealKeyArn: `arn:aws:kms:eu-central-1:${account}:key/kept`,
  archiveBucket: 'kept-archive',
}

/** Yields the argument of each use of an intrinsic function in a template, as JSON. */
function* usesOf(name: string, value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    if (key === name) yield JSON.stringify(item)
    yield* usesOf(name, item)
  }
}

const templates = async (context: object) =>
  templatesOf(
    (await loadOperations()).filter(({ operation }) => /^\/(groups|v0)/.test(operation.path)),
    { ...context },
  )

describe.each([
  ['no settings', {}],
  ['every stack', everything],
  ['existing data', adopted],
])('with %s', (_, context) => {
  it('looks up each output of another stack once per template', async () => {
    const { stacks } = await templates(context)
    const uses = stacks.map((template) => [...usesOf('Fn::GetStackOutput', template)])
    expect(uses.flat()).not.toEqual([])
    for (const ofTemplate of uses) expect(ofTemplate).toEqual([...new Set(ofTemplate)])
  })

  it('imports no export, which would block changes of the data stack', async () => {
    const { stacks } = await templates(context)
    expect(stacks.flatMap((template) => [...usesOf('Fn::ImportValue', template)])).toEqual([])
  })

  it('names only existing outputs, and stacks in deployment order', async () => {
    const { stacks, names, stack } = await templates(context)
    const outputs = (name: string) => Object.keys(stack(name).template.Outputs as object)
    let deployed = -1
    for (const template of stacks) {
      deployed = Math.max(deployed, ...names.map((name, at) => (stack(name).template === template ? at : -1)))
      for (const use of usesOf('Fn::GetStackOutput', template)) {
        const { StackName, OutputName } = JSON.parse(use)
        expect(outputs(StackName), use).toContain(OutputName)
        expect(StackName).not.toBe(names[deployed])
      }
    }
  })
})

it('adds a resource if a value comes from elsewhere, so that CloudFormation has a change to execute', async () => {
  const handles = async (context: object) => {
    const { stacks } = await templates(context)
    const resources = stacks.flatMap((template) =>
      Object.entries((template.Resources ?? {}) as Record<string, Resource>),
    )
    return resources.filter(([, { Type }]) => Type === 'AWS::CloudFormation::WaitConditionHandle').map(([id]) => id)
  }
  const [own] = await handles({})
  expect(own).toMatch(/^Nothing[0-9a-f]{8}$/)
  expect(await handles({})).toEqual([own])
  expect(await handles({ logGroupDays: 30 })).toEqual([own])
  expect(await handles({ tableStreamArn: adopted.tableStreamArn })).not.toEqual([own])
})

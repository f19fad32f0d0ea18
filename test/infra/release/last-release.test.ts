import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { breaches } from '#infra/release/breaches.ts'
import { contractOf, contractOfNow, type TemplateContract } from '#infra/release/contract.ts'
import { lastRelease } from '#infra/release/last-release.ts'
import { withoutCode } from '#infra/without-code.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'

it('breaks nothing that a deployment of the last release has', async () => {
  const broken = breaches(await lastRelease(), await contractOfNow())
  const how =
    'Undo what breaks a deployment. Where that is meant, say it in docs/CHANGELOG.md: npm run release:templates'
  expect(broken, how).toEqual([])
}, 60_000)

describe('a change of the templates', () => {
  const directory = mkdtempSync(join(tmpdir(), 'contract-'))
  const written = join(directory, 'written')
  let before: TemplateContract
  beforeAll(async () => {
    const operations = (await loadOperations()).filter(({ operation }) => operation.path.startsWith('/groups'))
    await withoutCode({ operations }, (app, outdir) => {
      app.synth()
      cpSync(outdir, written, { recursive: true })
    })
    before = contractOf(written)
  }, 60_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  /** What is said when this replaces that in a file of the assembly. */
  function changed(file: RegExp, change: (text: string) => string): string[] {
    const copy = mkdtempSync(join(directory, 'changed-'))
    cpSync(written, copy, { recursive: true })
    const { artifacts } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'))
    const names = ['manifest.json', ...Object.keys(artifacts).map((name) => `${name}.template.json`)]
    const nested =
      readFileSync(join(copy, 'NetworkAccess.assets.json'), 'utf8').match(/[\w]+\.nested\.template\.json/g) ?? []
    const [name] = [...names, ...nested].filter((each) => file.test(each))
    const path = join(copy, name as string)
    // Some are written without blanks, of which a change must not depend.
    const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')), null, 1)
    expect(change(text), 'the change changes something').not.toBe(text)
    writeFileSync(path, change(text))
    return breaches(before, contractOf(copy))
  }

  const data = /^NetworkAccess-Data\.template/
  const service = /^NetworkAccess\.template/
  const swap = (from: string | RegExp, to: string) => (text: string) => text.replaceAll(from, to)

  /** A change of one resource: of the first that is of this type. */
  const within =
    (type: string, change: (resource: { Properties: Record<string, unknown> }) => void) => (text: string) => {
      const template = JSON.parse(text)
      const resources: { Type: string; Properties: Record<string, unknown> }[] = Object.values(template.Resources)
      const found = resources.find((resource) => resource.Type === type)
      if (!found) throw new Error(`There is no ${type}.`)
      change(found)
      return JSON.stringify(template)
    }

  it.each<[string, RegExp, (text: string) => string, RegExp[]]>([
    ['a renamed table', data, swap('"StorageTableB43FDCE7"', '"OtherTable"'), [/no longer has StorageTableB43FDCE7/]],
    [
      'a secret that goes',
      data,
      (text) => JSON.stringify(without(text, 'StorageServiceSecret22DC64B0')),
      [/ServiceSecret/],
    ],
    ['another key of the table', data, swap('"AttributeName": "sk"', '"AttributeName": "rk"'), [/KeySchema/]],
    [
      'a name for the table',
      data,
      within('AWS::DynamoDB::GlobalTable', ({ Properties }) => Object.assign(Properties, { TableName: 'x' })),
      [/TableName of StorageTable.* made anew/],
    ],
    ['another stream of the table', data, swap('NEW_AND_OLD_IMAGES', 'KEYS_ONLY'), [/StreamSpecification/]],
    ['a secret made otherwise', data, swap('"PasswordLength": 64', '"PasswordLength": 65'), [/GenerateSecretString/]],
    [
      'a bucket that goes with its stack',
      data,
      within('AWS::S3::Bucket', (bucket) => Object.assign(bucket, { DeletionPolicy: 'Delete' })),
      [/no longer survives its deletion/],
    ],
    [
      'a stream that goes when it is replaced',
      data,
      within('AWS::Kinesis::Stream', (stream) => Object.assign(stream, { UpdateReplacePolicy: 'Delete' })),
      [/no longer survives its replacement/],
    ],
    [
      'a renamed mapping',
      service,
      swap(/ConsumersFollowUpDynamoDBEventSource\w+/g, 'OtherMapping'),
      [/no longer has ConsumersFollowUp/],
    ],
    ['another start of a mapping', service, swap('TRIM_HORIZON', 'LATEST'), [/StartingPosition/]],
    [
      'a renamed output',
      service,
      swap('"ApiEndpoint": {', '"ApiAddress": {'),
      [/no longer has the output ApiEndpoint/],
    ],
    [
      'a renamed function of a route',
      /groups\w+\.nested/,
      swap(/"PatchGroupsById[0-9A-F]{8}"/g, '"Renamed"'),
      [/The route PATCH \/groups\/\{id\} leads to .*Renamed/],
    ],
    [
      'a route that goes',
      service,
      (text) => JSON.stringify(withoutRoute(text, '/groups/{id}', 'delete')),
      [/The route DELETE \/groups\/\{id\} is gone/],
    ],
    ['a renamed path', service, swap('"/groups/{id}":', '"/groups/{group_id}":'), [/GET \/groups\/\{id\} is gone/]],
    [
      'a renamed nested stack',
      service,
      swap('"Operationsgroups"', '"Elsewhere"'),
      [/The route GET \/groups leads to .*Elsewhere/],
    ],
    [
      'a lost protection',
      /manifest/,
      swap('"terminationProtection": true', '"terminationProtection": false'),
      [/Data is no longer protected/],
    ],
  ])('fails with %s', (_, file, change, messages) => {
    const said = changed(file, change)
    expect(said.length).toBeGreaterThan(0)
    for (const message of messages)
      expect(
        said.some((sentence) => message.test(sentence)),
        said.join('\n'),
      ).toBe(true)
  })

  it.each<[string, RegExp, (text: string) => string]>([
    ['memory of a function', service, swap('"MemorySize": 1769', '"MemorySize": 1024')],
    ['retention of a log group', data, swap('"RetentionInDays": 90', '"RetentionInDays": 30')],
    [
      'a new resource',
      data,
      (text) => text.replace('"Resources": {', '"Resources": {"New": {"Type": "AWS::S3::Bucket"},'),
    ],
    ['a new output', service, (text) => text.replace('"Outputs": {', '"Outputs": {"New": {"Value": "x"},')],
    ['a renamed role', service, swap(/RolesReader(?!Default)\w+/g, 'OtherReader')],
  ])('is nothing to speak of with %s', (_, file, change) => {
    expect(changed(file, change)).toEqual([])
  })

  it('fails with a stack of another name', () => {
    const { 'NetworkAccess-Data': data, ...stacks } = before.stacks
    expect(data).toBeDefined()
    expect(breaches(before, { ...before, stacks })).toEqual(['The stack NetworkAccess-Data is gone.'])
  })

  it('asks what replaces a resource of a new type that is kept', () => {
    const text = '"Resources": {"New": {"Type": "AWS::New::Thing", "DeletionPolicy": "Retain"},'
    expect(() => changed(data, (template) => template.replace('"Resources": {', text))).toThrow('AWS::New::Thing')
  })
})

type Written = { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> }

/** The template without a resource, also where others wait for it. */
function without(text: string, id: string): object {
  const { Resources, ...rest } = JSON.parse(text)
  const { [id]: _, ...kept } = Resources
  return JSON.parse(JSON.stringify({ ...rest, Resources: kept }).replaceAll(`"${id}"`, '"StorageFlows6F50AA64"'))
}

function withoutRoute(text: string, path: string, method: string): object {
  const template: Written = JSON.parse(text)
  for (const { Type, Properties } of Object.values(template.Resources)) {
    const { paths } = fieldsOf(Properties.Body)
    if (Type === 'AWS::ApiGatewayV2::Api') delete fieldsOf(fieldsOf(paths)[path])[method]
  }
  return template
}

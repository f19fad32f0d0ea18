import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { withoutCode } from '#infra/without-code.ts'
import type { Resource } from '#test/support/service/templates.ts'

type Template = { Parameters?: object; Resources?: Record<string, Resource>; Outputs?: object }

const account = '111122223333'
const secret = (name: string) => `arn:aws:secretsmanager:eu-central-1:${account}:secret:${name.padEnd(512, 'x')}-AbCdEf`
const certificate = (region: string) => `arn:aws:acm:${region}:${account}:certificate/1`

const longDomain = (name: string) => [name, 'b'.repeat(60), 'c'.repeat(60), 'd'.repeat(60), 'example.com'].join('.')

/** Settings that enlarge templates, each at its maximum. */
const largest = {
  stackName: `A${'b'.repeat(63)}`,
  tags: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`tag-${i}`.padEnd(10, 'x'), 'v'.repeat(15)])),
  prefix: 'p'.repeat(32),
  permissionsBoundary: `arn:aws:iam::${account}:policy/${'team/'.repeat(102)}`.padEnd(671, 'x'),
  encryptionKey: 'own',
  domainName: longDomain('access'),
  certificateArn: certificate('eu-central-1'),
  liveDomainName: longDomain('live'),
  liveCertificateArn: certificate('eu-central-1'),
  frontCertificateArn: certificate('us-east-1'),
  backupVaultArn: `arn:aws:backup:eu-west-1:${account}:backup-vault:copies`,
  suiteClientId: 'suite-app',
  suiteClientSecretArn: secret('suite'),
  tenantClientId: 'tenant-app',
  tenantClientSecretArn: secret('tenant'),
  // Uses as many URIs as fit a function's environment in addition to the other settings.
  signInRedirectUris: Array.from({ length: 10 }, (_, i) =>
    `https://portal-${String(i).padStart(2)}.example.com/cb`.replace(' ', '0'),
  ),
  mailSender: 'access@example.com',
  alarmEmail: 'operator@example.com',
  liveAccessLog: true,
  tracing: true,
  metrics: 'operations',
  logDestinationArn: `arn:aws:logs:eu-central-1:${account}:destination:${'d'.repeat(512)}`,
  dataEventsBucket: 'e'.repeat(63),
  breakGlassRoleArn: `arn:aws:iam::${account}:role/${'team/'.repeat(100)}${'b'.repeat(64)}`,
}

let templates: [name: string, bytes: number, template: Template][]
beforeAll(async () => {
  templates = await withoutCode({ context: largest }, (app, outdir) => {
    app.synth()
    const files = readdirSync(outdir).filter((file) => file.endsWith('.template.json'))
    return files.map((file) => {
      const text = readFileSync(join(outdir, file), 'utf8')
      return [file, Buffer.byteLength(text), JSON.parse(text)]
    })
  })
})

const all = (type: string): [string, Resource['Properties']][] =>
  templates.flatMap(([, , { Resources = {} }]) =>
    Object.entries(Resources).flatMap(([id, { Type, Properties }]): [string, Resource['Properties']][] =>
      Type === type ? [[id, Properties]] : [],
    ),
  )

describe('with every setting at its maximum', () => {
  it("keeps every template within CloudFormation's quotas of size, resources, parameters and outputs", () => {
    expect(templates.length).toBeGreaterThan(25)
    for (const [name, bytes, { Parameters = {}, Resources = {}, Outputs = {} }] of templates) {
      // Leaves a margin below the 1,000,000 bytes that CloudFormation accepts.
      expect(bytes, name).toBeLessThan(850_000)
      expect(Object.keys(Resources).length, name).toBeLessThanOrEqual(500)
      expect(Object.keys(Parameters).length, name).toBeLessThanOrEqual(200)
      expect(Object.keys(Outputs).length, name).toBeLessThanOrEqual(200)
    }
  })

  it('keeps routes and integrations within the quotas of API Gateway', () => {
    const bodies = all('AWS::ApiGatewayV2::Api').flatMap(([, { Body }]) => Body ?? [])
    expect(bodies).toHaveLength(1)
    const routes = Object.values<object>(bodies[0].paths).flatMap((path) => Object.keys(path))
    expect(routes.length).toBeGreaterThan(150)
    expect(routes.length).toBeLessThanOrEqual(300)
    for (const [id, { AccessLogSettings }] of all('AWS::ApiGatewayV2::Stage'))
      expect(AccessLogSettings.Format.length, id).toBeLessThanOrEqual(3_072)
  })

  it('keeps functions and roles within the quotas of Lambda and IAM', () => {
    for (const [id, { Description = '' }] of all('AWS::Lambda::Function'))
      expect(Description.length, id).toBeLessThanOrEqual(256)
    const policies = new Map<string, number>()
    for (const [, { Roles, PolicyDocument }] of all('AWS::IAM::Policy'))
      for (const { Ref } of Roles) policies.set(Ref, (policies.get(Ref) ?? 0) + JSON.stringify(PolicyDocument).length)
    expect(policies.size).toBeGreaterThan(30)
    // Overestimates the sizes, because references in the template are longer than their values.
    for (const [role, characters] of policies) expect(characters, role).toBeLessThanOrEqual(10_240)
  })

  it('keeps alarms within the quota of CloudWatch', () => {
    for (const [id, { Metrics = [], AlarmDescription }] of all('AWS::CloudWatch::Alarm')) {
      const looked = Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat)
      expect(looked.length, id).toBeLessThanOrEqual(10)
      expect(AlarmDescription.length, id).toBeLessThanOrEqual(1_024)
    }
  })
})

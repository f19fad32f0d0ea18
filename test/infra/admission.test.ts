import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { buildApp } from '#infra/build-app.ts'
import { criticalOperations } from '#infra/functions/gradual-shift.ts'
import { readAssembly } from '#infra/template/assembly.ts'
import { allStacks, Stack } from '#infra/template/stack.ts'
import { type Admission, admissions } from '#test/support/service/admission.ts'

const certificate = 'arn:aws:acm:us-east-1:000000000000:certificate/a'
const everything = {
  domainName: 'access.example.com',
  certificateArn: certificate,
  frontCertificateArn: certificate,
  encryptionKey: 'own',
  alarmEmail: 'ops@example.com',
  mailSender: 'access@example.com',
  liveAccessLog: 'true',
  tracing: 'true',
  backupVaultArn: 'arn:aws:backup:eu-west-1:000000000000:backup-vault:x',
}

async function stacksOf(context: Record<string, unknown>): Promise<Stack[]> {
  const directory = mkdtempSync(join(tmpdir(), 'admission-'))
  try {
    const code = join(directory, 'code')
    mkdirSync(code)
    writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => {}\n')
    const operations = (await loadOperations()).filter(
      ({ operation: { method, path } }) => path === '/groups' || criticalOperations.has(`${method} ${path}`),
    )
    const outdir = join(directory, 'assembly')
    const app = await buildApp({ outdir, code, operations, context })
    app.synth()
    const stacks = allStacks(readAssembly(outdir))
    // Reads all nested templates now, because they are otherwise read lazily, after their files have been deleted.
    for (const stack of stacks) stack.all()
    return stacks
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const refused = (found: Admission[]) =>
  found
    .filter(({ decisions }) => decisions.some((decision) => decision !== 'allowed'))
    .map(({ id, service, action, target, decisions }) => ({ id, service, action, target, decisions }))

describe.each([
  ['default settings', {}],
  ['all optional parts', everything],
])('with %s', (name, context) => {
  it('every call of an AWS service is allowed by its target', async () => {
    const found = admissions(await stacksOf(context))
    expect(refused(found)).toEqual([])
    const services = new Set(found.map(({ service }) => service.split('.')[0]))
    const expected = ['apigateway', 'cloudwatch', 'codedeploy', 'events', 'lambda']
    expect([...services].sort()).toEqual(
      [...expected, ...(name === 'default settings' ? [] : ['backup', 'logs', 'secretsmanager'])].sort(),
    )
    const alarms = found.filter(({ action }) => action === 'sns:Publish')
    expect(alarms.length).toBeGreaterThan(30)
    expect(alarms.some(({ id }) => /RotationFailing/.test(id))).toBe(context === everything)
  })
})

describe('a resource of the templates', () => {
  const stacks = (Type: string, Properties: Record<string, unknown>) => {
    const assembly = { stacks: [], asset: () => '', template: () => ({}) }
    return [new Stack('Other', { Resources: { Some: { Type, Properties } } }, assembly, () => undefined)]
  }

  it('of an unknown type is an error', () => {
    expect(() => admissions(stacks('AWS::Pipes::Pipe', {}))).toThrow('AWS::Pipes::Pipe')
    const notified = stacks('AWS::S3::Bucket', { NotificationConfiguration: {} })
    expect(() => admissions(notified)).toThrow('NotificationConfiguration')
  })

  it("is refused if its target's policy does not mention the service", () => {
    const Targets = [{ Arn: 'arn:aws:lambda:us-east-1:000000000000:function/f:current' }]
    const [found] = admissions(stacks('AWS::Events::Rule', { Targets }))
    expect(found?.decisions).toEqual(['implicitly denied'])
  })
})

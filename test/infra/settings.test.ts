import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { App } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { loadOperations } from '#functions/operations.ts'
import { settingVariables } from '#infra/local/build/synthesize.ts'
import { readSettings, settingGroups } from '#infra/settings/settings.ts'
import { env } from '#shared/core/env.ts'
import { templatesOf } from '#test/support/service/templates.ts'

const environmentOf = async (context: Record<string, unknown>) => {
  const [provision] = (await templatesOf([], context)).all('AWS::Lambda::Function')
  return provision?.Properties.Environment.Variables
}

it('passes the settings of a deployment to its functions', async () => {
  const context = {
    logLevel: 'WARN',
    metrics: 'operations',
    stackName: 'Access',
    logRetentionDays: 400,
    flowRetentionDays: '7',
    heartbeatSecs: 60,
  }
  expect(await environmentOf({ ...context, baseUrl: 'https://access.example.com' })).toMatchObject({
    LOG_LEVEL: 'WARN',
    METRICS: 'operations',
    SERVICE_NAME: 'Access',
    LOG_RETENTION_DAYS: '400',
    FLOW_RETENTION_DAYS: '7',
    HEARTBEAT_SECS: '60',
    SERVICE_URL: 'https://access.example.com',
  })
})

it('passes sign-in settings to its functions, and only the ARNs of secrets', async () => {
  const app = (kind: string) => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${kind}-AbCdEf`
  const context = {
    signInRedirectUris: ['https://portal.example.com/signed-in', 'com.example.access:/signed-in'],
    signInBurst: 500,
    anonymousBurst: 500,
    suiteIssuer: 'https://accounts.example.com',
    suiteClientId: 'suite-app',
    suiteClientSecretArn: app('suite'),
    tenantIssuer: 'https://login.example.us/{tenant_id}/v2.0',
    tenantClientId: 'tenant-app',
    tenantClientSecretArn: app('tenant'),
    idpApiUrl: 'https://{idp_domain}/gateway',
  }
  expect(await environmentOf(context)).toMatchObject({
    SIGN_IN_REDIRECT_URIS: 'https://portal.example.com/signed-in com.example.access:/signed-in',
    SIGN_IN_BURST: '500',
    SUITE_ISSUER: 'https://accounts.example.com',
    SUITE_CLIENT_ID: 'suite-app',
    SUITE_CLIENT_SECRET_ARN: app('suite'),
    TENANT_ISSUER: 'https://login.example.us/{tenant_id}/v2.0',
    TENANT_CLIENT_ID: 'tenant-app',
    TENANT_CLIENT_SECRET_ARN: app('tenant'),
    IDP_API_URL: 'https://{idp_domain}/gateway',
  })
})

it('passes the addresses of directories and inventories', async () => {
  const context = {
    suiteTokenUrl: 'https://tokens.example.com/token',
    suiteApiUrl: 'https://suite.example.com',
    tenantTokenUrl: 'https://login.example.us/{tenant_id}/oauth2/v2.0/token',
    tenantApiUrl: 'https://graph.example.us',
    mdmApiUrl: 'https://{subdomain}.devices{.region}.example.com',
  }
  expect(await environmentOf(context)).toMatchObject({
    SUITE_TOKEN_URL: 'https://tokens.example.com/token',
    SUITE_API_URL: 'https://suite.example.com',
    TENANT_TOKEN_URL: 'https://login.example.us/{tenant_id}/oauth2/v2.0/token',
    TENANT_API_URL: 'https://graph.example.us',
    MDM_API_URL: 'https://{subdomain}.devices{.region}.example.com',
  })
})

it('leaves out what only the console uses, without the console (K2)', async () => {
  const operations = (await loadOperations()).filter(({ operation }) => operation.path === '/sign_in/session')
  const methodsOf = async (context: Record<string, unknown>) => {
    const bodies = (await templatesOf(operations, context)).all('AWS::ApiGatewayV2::Api')
    return Object.keys(bodies.find(({ Properties }) => Properties.Body)?.Properties.Body.paths['/sign_in/session'])
  }
  expect((await methodsOf({})).sort()).toEqual(['delete', 'get', 'post'])
  expect(await methodsOf({ console: 'false' })).toEqual(['delete'])
  expect([(await environmentOf({})).CONSOLE, (await environmentOf({ console: 'false' })).CONSOLE]).toEqual([
    'true',
    'false',
  ])
})

it('has defaults for all settings', async () => {
  const variables = await environmentOf({})
  expect(variables).not.toHaveProperty('HEARTBEAT_SECS')
  expect(env).toMatchObject({
    logRetentionDays: 90,
    flowRetentionDays: 120,
    archiveRetentionDays: 400,
    heartbeatSecs: 30,
  })
  expect(variables).toMatchObject({
    LOG_LEVEL: 'INFO',
    METRICS: 'classes',
    SERVICE_NAME: 'NetworkAccess',
    SIGN_IN_REDIRECT_URIS: 'http://127.0.0.1/callback http://[::1]/callback',
    SUITE_ISSUER: 'https://accounts.google.com',
    TENANT_ISSUER: 'https://login.microsoftonline.com/{tenant_id}/v2.0',
    IDP_API_URL: 'https://{idp_domain}',
    SUITE_TOKEN_URL: 'https://oauth2.googleapis.com/token',
    SUITE_API_URL: 'https://admin.googleapis.com',
    TENANT_TOKEN_URL: 'https://login.microsoftonline.com/{tenant_id}/oauth2/v2.0/token',
    TENANT_API_URL: 'https://graph.microsoft.com',
    MDM_API_URL: 'https://{subdomain}.api{.region}.kandji.io',
  })
})

const secret = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:cdn-AbCdEf'
const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/a`

it.each([
  [{ logLevel: 'debug' }, 'The setting logLevel must be one of INFO, WARN, ERROR.'],
  [{ metrics: 'all' }, 'The setting metrics must be one of classes, operations, none.'],
  [{ shift: 'slow' }, 'The setting shift must be one of canary, at-once.'],
  ...[
    '*',
    'arn:aws:iam::123456789012:role/*',
    'arn:aws:iam::*:role/BreakGlass',
    'arn:aws:iam::123456789012:user/ada',
  ].map((breakGlassRoleArn): [Record<string, unknown>, string] => [
    { breakGlassRoleArn },
    'The setting breakGlassRoleArn must be the ARN of a role; `*` can replace the end of its name.',
  ]),
  [{ tracing: 'on' }, 'The setting tracing must be true or false.'],
  [{ logRetentionDays: 'ten' }, 'The setting logRetentionDays must be an integer from 1 to 36500.'],
  [{ logRetentionDays: '9'.repeat(20) }, 'The setting logRetentionDays must be an integer from 1 to 36500.'],
  [
    { logRetentionDays: 2_557 },
    'The setting sealRetentionDays must be at least logRetentionDays, which is 2557, or 0 for no lock.',
  ],
  [
    { logRetentionDays: 90, sealRetentionDays: 89 },
    'The setting sealRetentionDays must be at least logRetentionDays, which is 90, or 0 for no lock.',
  ],
  [{ flowRetentionDays: 401 }, 'The setting archiveRetentionDays must be at least flowRetentionDays, which is 401.'],
  [
    { logRetentionDays: 200, archiveRetentionDays: 199 },
    'The setting archiveRetentionDays must be at least logRetentionDays, which is 200.',
  ],
  [{ archiveRetentionDays: 0 }, 'The setting archiveRetentionDays must be an integer from 1 to 36500.'],
  [{ archiveTierDays: 119 }, 'The setting archiveTierDays must be 0 or at least flowRetentionDays, which is 120.'],
  [{ archiveTierDays: 400 }, 'The setting archiveTierDays must be below archiveRetentionDays, which is 400.'],
  [{ archiveTierDays: -1 }, 'The setting archiveTierDays must be an integer from 0 to 36500.'],
  [{ sealRetentionDays: 36_101 }, 'The setting sealRetentionDays must be an integer from 0 to 36100.'],
  [{ flowRetentionDays: 36_501 }, 'The setting flowRetentionDays must be an integer from 1 to 36500.'],
  [{ flowStreamShards: 0 }, 'The setting flowStreamShards must be an integer from 1 to 10000 or on-demand.'],
  [{ throttleRate: 'fast' }, 'The setting throttleRate must be an integer from 1 to 1000000.'],
  [{ signInBurst: 201 }, 'The setting signInBurst must be at most anonymousBurst, which is 200.'],
  [{ accountRequests: 2_500 }, 'The setting throttleRate must be at most accountRequests, which is 2500.'],
  [{ ingestRate: 10_001 }, 'The setting ingestRate must be at most accountRequests, which is 10000.'],
  [{ anonymousRate: 10_001 }, 'The setting anonymousRate must be at most accountRequests, which is 10000.'],
  [{ changeConcurrency: '-1' }, 'The setting changeConcurrency must be an integer from 1 to 100000 or none.'],
  [{ logGroupDays: 100 }, 'The setting logGroupDays must be one of 1, 3, 5, 7, 14, 30, 60, 90, 120,'],
  [
    { domainName: 'https://access.example.com' },
    'The setting domainName must be a domain name like access.example.com.',
  ],
  [{ domainName: 'a.example.com' }, 'The setting domainName must be set together with certificateArn.'],
  [{ liveDomainName: 'live.example.com' }, 'The setting liveDomainName must be set together with liveCertificateArn.'],
  [
    { liveDomainName: 'wss://live.example.com', liveCertificateArn: certificate('eu-central-1') },
    'The setting liveDomainName must be a domain name like access.example.com.',
  ],
  [
    { liveDomainName: 'live.example.com', liveCertificateArn: certificate('eu-central-1'), live: false },
    'The setting liveDomainName must be left out when live=false.',
  ],
  [
    {
      ...{ domainName: 'a.example.com', certificateArn: certificate('eu-central-1') },
      ...{ liveDomainName: 'a.example.com', liveCertificateArn: certificate('eu-central-1') },
    },
    'The setting liveDomainName must be a name other than domainName.',
  ],
  [
    { liveDomainName: 'l.example.com', liveCertificateArn: certificate('eu-central-1'), cdnSecretArn: secret },
    'The setting liveDomainName must be left out when cdnSecretArn is set, because devices then connect to the domain of the CDN.',
  ],
  [
    { frontCertificateArn: certificate('eu-central-1') },
    'The setting frontCertificateArn must be the ARN of an ACM certificate in us-east-1, in the partition aws.',
  ],
  [
    { frontCertificateArn: certificate('us-east-1') },
    'The setting frontCertificateArn must be set together with domainName.',
  ],
  [
    {
      tableStreamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T08:00:00.000',
      secretKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/0f0e0d0c-0b0a-4009-8807-060504030201',
    },
    'The setting secretKeyArn must be in the region of tableStreamArn, which must be the region of the service.',
  ],
  [
    { tableStreamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored' },
    'The setting tableStreamArn must be the ARN of the stream of a DynamoDB table.',
  ],
  [{ failuresBucket: 'arn:aws:s3:::kept' }, 'The setting failuresBucket must be the name of an S3 bucket.'],
  [{ encryptionKey: 'mine' }, 'The setting encryptionKey must be one of aws, own or the ARN of a KMS key.'],
  [
    { tags: 'team' },
    'The setting tags must be at most 40 name=value pairs separated by commas, or a JSON object, with 1000 bytes in total.',
  ],
  [{ tags: { 'aws:team': 'x' } }, 'The setting tags must be at most 40'],
  [
    { tags: Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`tag-${i}`, 'x'.repeat(250)])) },
    'The setting tags must be at most 40 name=value pairs separated by commas, or a JSON object, with 1000 bytes in total.',
  ],
  [
    {
      signInRedirectUris: Array.from(
        { length: 40 },
        (_, i) => `https://portal-${i}.example.com/signed-in/${'x'.repeat(50)}`,
      ),
    },
    'Lambda accepts environment variables of at most 4096 bytes, but these settings result in',
  ],
  [{ permissionsBoundary: 'a b' }, 'The setting permissionsBoundary must be the name or ARN of a managed policy.'],
  [{ signInRedirectUris: 'http://portal.example.com/' }, 'The setting signInRedirectUris must be at most 50 URIs'],
  [{ signInRedirectUris: 'https://a.example.com/#x' }, 'The setting signInRedirectUris must be at most 50 URIs'],
  [{ signInRedirectUris: 'javascript:alert(1)' }, 'The setting signInRedirectUris must be at most 50 URIs'],
  [{ signInRedirectUris: [7] }, 'The setting signInRedirectUris must be at most 50 URIs'],
  [{ suiteClientId: 'suite-app' }, 'The setting suiteClientId must be set together with suiteClientSecretArn.'],
  [{ tenantClientSecretArn: secret }, 'The setting tenantClientSecretArn must be set together with tenantClientId.'],
  [
    { tenantIssuer: 'https://login.example.com/v2.0' },
    'The setting tenantIssuer must be a URL that contains {tenant_id}.',
  ],
  [{ alarmEmail: 'operator' }, 'The setting alarmEmail must be an email address like access@example.com.'],
  [
    { throttelRate: 5 },
    'There is no setting throttelRate; docs/settings.md lists all settings. Did you mean throttleRate?',
  ],
  [{ somethingElse: 5 }, 'There is no setting somethingElse; docs/settings.md lists all settings.'],
  [{ Shift: 'at-once' }, 'There is no setting Shift; docs/settings.md lists all settings. Did you mean shift?'],
  [
    { flowRetentionDay: 5, live: 'maybe' },
    'There is no setting flowRetentionDay; docs/settings.md lists all settings. Did you mean flowRetentionDays?\nThe setting live must be true or false.',
  ],
])('refuses %j', async (context, message) => {
  await expect(templatesOf([], context)).rejects.toThrow(message)
})

it('accepts equal values of the command line and cdk.json', () => {
  const read = (context: Record<string, unknown>) => readSettings(new App({ context }))
  expect(read({ tags: 'team=network,stage=live' }).tags).toEqual({ team: 'network', stage: 'live' })
  expect(read({ tags: { team: 'network', stage: 'live' } }).tags).toEqual({ team: 'network', stage: 'live' })
  expect(read({ throttleRate: '50' }).throttleRate).toBe(read({ throttleRate: 50 }).throttleRate)
  const uris = ['http://127.0.0.1:8080/callback', 'https://a.example.com/x?y=z']
  expect(read({ signInRedirectUris: ` ${uris.join('  ')}` }).signInRedirectUris).toEqual(uris)
  expect(read({ signInRedirectUris: uris }).signInRedirectUris).toEqual(uris)
  expect(read({ keepData: 'false' }).keepData).toBe(read({ keepData: false }).keepData)
  expect(read({ cdnSecretArn: secret, '@aws-cdk/core:a': true, 'ssm:account=1': 'x' }).cdnSecretArn).toBe(secret)
})

it('has a slot for every function that reads the flow stream, and concurrency to redrive', () => {
  const read = (context: Record<string, unknown>) => readSettings(new App({ context })).flowConcurrency
  expect([read({}), read({ flowStreamShards: 3 }), read({ flowStreamShards: 'on-demand' })]).toEqual([6, 14, 42])
  expect([read({ flowConcurrency: 9 }), read({ flowConcurrency: 'none' })]).toEqual([9, 'none'])
})

describe('docs/settings.md', () => {
  const document = readFileSync('docs/settings.md', 'utf8')

  it('lists every setting', () => {
    for (const name of Object.values(settingGroups).flatMap(Object.keys)) expect(document).toContain(`| \`${name}\` `)
  })

  it('names the local environment variable of every setting that has one', () => {
    const [, onOneMachine = ''] = document.split('\n## On one machine\n')
    const missing = Object.values(settingVariables).filter((variable) => !onOneMachine.includes(`\`${variable}\``))
    expect(missing).toEqual([])
  })
})

it('documents mention no unknown setting', async () => {
  const names = new Set(Object.values(settingGroups).flatMap(Object.keys))
  const files = (await readdir('docs', { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
  const missing = await Promise.all(
    ['README.md', ...files].map(async (file) =>
      [...(await readFile(file, 'utf8')).matchAll(/-c ([a-z][A-Za-z]*)=/g)].map(([, name = '']) => `${file}: ${name}`),
    ),
  )
  const unknown = missing.flat().filter((entry) => !names.has(entry.slice(entry.indexOf(': ') + 2)))
  expect(missing.flat().length).toBeGreaterThan(5)
  expect(unknown).toEqual([])
})

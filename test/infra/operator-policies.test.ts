import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { documentedCommands } from '#test/docs/aws-cli/documents.ts'
import { type DeployedRights, deployedRights } from '#test/support/service/deployed-rights.ts'
import { type Decision, evaluate, type Statement } from '#test/support/service/iam.ts'

const names = ['ReadPolicy', 'OperatePolicy', 'BreakGlassPolicy'] as const
type Name = (typeof names)[number]
type Call = { action: string; resource: string; context?: Record<string, string> }

const keys = new Set(['lambda:FunctionArn', 'kms:ViaService'])
const at = 'us-east-1:000000000000'
const cdnSecretArn = `arn:aws:secretsmanager:${at}:secret:OriginSecret-AbCdEf`

let rights: DeployedRights
beforeAll(async () => {
  rights = await deployedRights({ cdnSecretArn, encryptionKey: 'own', baseUrl: 'https://access.example.com' })
})

const decide = (of: readonly Name[], { action, resource, context = {} }: Call): Decision =>
  evaluate(
    of.flatMap((name): Statement[] => rights.operators.get(name) ?? []),
    { action, resource, context },
    keys,
  )
const allowing = (call: Call): Name[] => names.filter((name) => decide([name], call) === 'allowed')

const arn = (service: string, rest: string) => `arn:aws:${service}:${at}:${rest}`
/** Returns the ARN of the task function that an output names, for example `tasks/verify-rows.ts` for `VerifyRowsFunction`. */
const functionOf = (output: string) => {
  const words = output.replace(/Function$/, '').match(/[A-Z][a-z]+/g) ?? []
  return `${rights.functions.get(`tasks/${words.join('-').toLowerCase()}.ts`)?.arn}:current`
}
const consumer = () => rights.functions.get('streams/store-flow-logs.ts')?.arn ?? ''
/** ARN of a function with a generated name, as in a deployment. Local function names have a different form. */
const ownFunction = arn('lambda', 'function:NetworkAccess-ConsumersStoreFlowLogs-AbCdEf')
const ofConsumer = () => ({ 'lambda:FunctionArn': `${consumer()}:current` })
const api = (part: string) => `arn:aws:apigateway:us-east-1::/apis/${rights.apiId}${part}`

describe('the policies of operators', () => {
  it('are stack outputs, each within the 6,144 characters of a managed policy', () => {
    expect([...rights.operators.keys()].sort()).toEqual([...names].sort())
    for (const name of names) {
      expect(rights.output(name), name).toContain(name)
      // Leaves a margin, because the names in a deployment are longer than local names.
      const text = JSON.stringify({ Version: '2012-10-17', Statement: rights.operators.get(name) })
      expect(text.replace(/\s/g, '').length, name).toBeLessThan(5_000)
    }
  })

  it.each([
    'iam:PassRole',
    'iam:CreateRole',
    'iam:PutRolePolicy',
    'iam:AttachUserPolicy',
    'iam:CreatePolicyVersion',
    'sts:AssumeRole',
    'kms:PutKeyPolicy',
    'kms:CreateGrant',
    'kms:ScheduleKeyDeletion',
    'kms:Sign',
    'lambda:AddPermission',
    'lambda:CreateFunction',
    'lambda:UpdateAlias',
    'lambda:UpdateFunctionCode',
    'lambda:UpdateFunctionConfiguration',
    'cloudformation:CreateChangeSet',
    'cloudformation:ExecuteChangeSet',
    'cloudformation:UpdateStack',
    'cloudformation:DeleteStack',
    'dynamodb:DeleteTable',
    'dynamodb:DeleteResourcePolicy',
    's3:PutBucketPolicy',
    's3:DeleteObjectVersion',
    's3:BypassGovernanceRetention',
    'secretsmanager:PutResourcePolicy',
    'sns:AddPermission',
    'logs:DeleteLogGroup',
    'cloudtrail:StopLogging',
  ])('never allow %s on any resource', (action) => {
    const resources = [
      '*',
      rights.arnOf('table'),
      rights.arnOf('secret'),
      rights.arnOf('seal key'),
      rights.arnOf('sealed/a/changes/checkpoint'),
      consumer(),
      'arn:aws:iam::000000000000:role/NetworkAccess-RolesWriter',
      arn('cloudformation', 'stack/NetworkAccess/id'),
    ]
    for (const resource of resources) expect(allowing({ action, resource, context: ofConsumer() })).toEqual([])
  })

  it('allow only break-glass to read items, secrets and failed batches', () => {
    const table = rights.arnOf('table')
    for (const name of ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'])
      expect(allowing({ action: `dynamodb:${name}`, resource: table }), name).toEqual(['BreakGlassPolicy'])
    for (const target of ['secret', 'token secret'] as const)
      expect(allowing({ action: 'secretsmanager:GetSecretValue', resource: rights.arnOf(target) })).toEqual([
        'BreakGlassPolicy',
      ])
    for (const action of ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject'])
      expect(allowing({ action, resource: rights.arnOf('archive/v1/flow/x.parquet') })).toEqual(['BreakGlassPolicy'])
    expect(allowing({ action: 's3:ListBucket', resource: rights.arnOf('archive') })).toEqual(['ReadPolicy'])
    const batch = rights.arnOf('failures/aws/lambda/x')
    expect(allowing({ action: 's3:GetObject', resource: batch })).toEqual(['BreakGlassPolicy'])
  })

  it.each<[string, Name]>([
    ['RedriveFailedBatchesFunction', 'OperatePolicy'],
    ['VerifyChangeLogFunction', 'OperatePolicy'],
    ['VerifyRowsFunction', 'OperatePolicy'],
    ['IndexNamesFunction', 'OperatePolicy'],
    ['ReplayCommitsFunction', 'OperatePolicy'],
    ['RollBackFunction', 'OperatePolicy'],
    ['ProvisionAccountFunction', 'BreakGlassPolicy'],
    ['BeginSealedLogFunction', 'BreakGlassPolicy'],
    ['EraseActorFunction', 'BreakGlassPolicy'],
  ])('allow to invoke %s only by %s', (output, policy) => {
    expect(allowing({ action: 'lambda:InvokeFunction', resource: functionOf(output) })).toEqual([policy])
  })

  it('allow only break-glass to change an event source mapping, whose filter could omit records of the audit trail', () => {
    const change = (name: string): Call => ({ action: `lambda:${name}`, resource: mapping, context: ofConsumer() })
    for (const name of ['CreateEventSourceMapping', 'UpdateEventSourceMapping', 'DeleteEventSourceMapping'])
      expect(allowing(change(name)), name).toEqual(['BreakGlassPolicy'])
  })

  it('allow to invoke no other function', () => {
    const tasks = new Set(
      names.flatMap((name) => rights.operators.get(name) ?? []).flatMap(({ Resource = [] }) => Resource),
    )
    const invocable = [...rights.functions].filter(([, { arn: of }]) =>
      [of, `${of}:current`].some((resource) => allowing({ action: 'lambda:InvokeFunction', resource }).length > 0),
    )
    expect(tasks.size).toBeGreaterThan(20)
    for (const [file] of invocable) expect(file).toMatch(/^tasks\//)
    expect(invocable).toHaveLength(11)
  })

  it('do not affect another deployment', () => {
    const others: Call[] = [
      { action: 'lambda:GetAlias', resource: arn('lambda', 'function:NetworkAccessTest-Api') },
      { action: 'events:DisableRule', resource: arn('events', 'rule/NetworkAccessTest-Rule') },
      { action: 'cloudwatch:SetAlarmState', resource: arn('cloudwatch', 'alarm:NetworkAccessTest-Alarm') },
      { action: 'dynamodb:UpdateTable', resource: arn('dynamodb', 'table/NetworkAccessTest-Data') },
      { action: 'apigateway:PATCH', resource: 'arn:aws:apigateway:us-east-1::/apis/another/stages/$default' },
      { action: 'apigateway:PATCH', resource: api('/routes/one') },
      { action: 'apigateway:PATCH', resource: api('/integrations/one') },
      {
        action: 'lambda:UpdateEventSourceMapping',
        resource: arn('lambda', 'event-source-mapping:id'),
        context: { 'lambda:FunctionArn': arn('lambda', 'function:Other:current') },
      },
    ]
    for (const call of others) expect(allowing(call), call.resource).toEqual([])
  })

  it.each(['PutResourcePolicy', 'UpdateTable', 'UpdateTimeToLive', 'UpdateContinuousBackups'])(
    'allow %s on a restored table, and not on the current one',
    (name) => {
      const change = (resource: string) => decide(names, { action: `dynamodb:${name}`, resource })
      expect(change(rights.arnOf('table'))).toBe('explicitly denied')
      expect(change(arn('dynamodb', 'table/NetworkAccess-restored'))).toBe('allowed')
    },
  )

  it("do not list the account's functions, whose variables belong to other applications", () => {
    expect(allowing({ action: 'lambda:ListFunctions', resource: '*' })).toEqual([])
  })
})

/** API calls of each CLI command, keyed by the first words of the command. */
const callsOf: Record<string, (option: (name: string) => string) => Call[]> = {
  'acm describe-certificate': () => [on('acm:DescribeCertificate', arn('acm', 'certificate/some'))],
  'apigatewayv2 get-api': () => [on('apigateway:GET', api(''))],
  'apigatewayv2 get-stage': () => [on('apigateway:GET', api('/stages/$default'))],
  'apigatewayv2 update-stage': () => [on('apigateway:PATCH', api('/stages/$default'))],
  'backup list-copy-jobs': () => [on('backup:ListCopyJobs')],
  'cloudformation cancel-update-stack': () => [on('cloudformation:CancelUpdateStack', ownStack)],
  'cloudformation describe-stack-events': () => [on('cloudformation:DescribeStackEvents', ownStack)],
  'cloudformation describe-stacks': () => [on('cloudformation:DescribeStacks', ownStack)],
  'cloudformation list-stack-resources': () => [on('cloudformation:ListStackResources', ownStack)],
  'cloudwatch describe-alarm-history': () => [on('cloudwatch:DescribeAlarmHistory', ownAlarm)],
  'cloudwatch describe-alarms': () => [on('cloudwatch:DescribeAlarms', ownAlarm)],
  'cloudwatch get-metric-statistics': () => [on('cloudwatch:GetMetricStatistics')],
  'cloudwatch set-alarm-state': () => [on('cloudwatch:SetAlarmState', ownAlarm)],
  'deploy get-deployment': () => [on('codedeploy:GetDeployment', ownDeployment)],
  'deploy list-deployments': () => [on('codedeploy:ListDeployments', ownDeployment)],
  'dynamodb describe-table': () => [on('dynamodb:DescribeTable', restored)],
  'dynamodb get-resource-policy': () => [on('dynamodb:GetResourcePolicy', rights.arnOf('table'))],
  'dynamodb put-resource-policy': () => [on('dynamodb:PutResourcePolicy', restored)],
  'dynamodb restore-table-to-point-in-time': () => [
    on('dynamodb:RestoreTableToPointInTime', rights.arnOf('table')),
    // Includes writes to the new table, because a restore needs its caller's permissions for these writes.
    ...['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'].map((name) =>
      on(`dynamodb:${name}`, restored),
    ),
  ],
  'dynamodb scan': () => [on('dynamodb:Scan', restored)],
  'dynamodb update-continuous-backups': () => [on('dynamodb:UpdateContinuousBackups', restored)],
  'dynamodb update-table': () => [on('dynamodb:UpdateTable', restored)],
  'dynamodb update-time-to-live': () => [on('dynamodb:UpdateTimeToLive', restored)],
  'dynamodb wait': () => [on('dynamodb:DescribeTable', restored)],
  'events disable-rule': () => [on('events:DisableRule', ownRule)],
  'events enable-rule': () => [on('events:EnableRule', ownRule)],
  'events list-rules': () => [on('events:ListRules', ownRule)],
  'events list-targets-by-rule': () => [on('events:ListTargetsByRule', ownRule)],
  'iam get-account-summary': () => [on('iam:GetAccountSummary')],
  'lambda create-event-source-mapping': () => [on('lambda:CreateEventSourceMapping', '*', ofConsumer())],
  'lambda delete-event-source-mapping': () => [on('lambda:DeleteEventSourceMapping', mapping, ofConsumer())],
  'lambda get-account-settings': () => [on('lambda:GetAccountSettings')],
  'lambda get-alias': () => [on('lambda:GetAlias', ownFunction)],
  'lambda get-event-source-mapping': () => [on('lambda:GetEventSourceMapping', mapping, ofConsumer())],
  'lambda get-function-concurrency': () => [on('lambda:GetFunctionConcurrency', ownFunction)],
  'lambda list-versions-by-function': () => [on('lambda:ListVersionsByFunction', ownFunction)],
  'lambda invoke': (option) => [
    on('lambda:InvokeFunction', functionOf(/<(\w+Function)/.exec(option('--function-name'))?.[1] ?? '')),
  ],
  'lambda list-event-source-mappings': () => [on('lambda:ListEventSourceMappings')],
  'lambda update-event-source-mapping': () => [on('lambda:UpdateEventSourceMapping', mapping, ofConsumer())],
  's3api get-object': () => [on('s3:GetObjectVersion', archivedFile())],
  's3api list-object-versions': () => [on('s3:ListBucketVersions', rights.arnOf('archive'))],
  's3api put-object': () => [on('s3:PutObject', archivedFile())],
  'secretsmanager describe-secret': () => [on('secretsmanager:DescribeSecret', cdnSecretArn)],
  'secretsmanager get-secret-value': () => [on('secretsmanager:GetSecretValue', rights.arnOf('secret'))],
  'secretsmanager rotate-secret': () => [on('secretsmanager:RotateSecret', cdnSecretArn)],
  'sesv2 get-account': () => [on('ses:GetAccount')],
  'sesv2 get-email-identity': () => [on('ses:GetEmailIdentity')],
  'sns list-subscriptions-by-topic': () => [on('sns:ListSubscriptionsByTopic', rights.output('AlarmTopic'))],
  // Requires no policy, because deployers create a new bucket with their own permissions (docs/operating.md).
  's3 mb': () => [],
  'sts get-caller-identity': () => [],
}
const on = (action: string, resource = '*', context?: Record<string, string>): Call => ({
  action,
  resource,
  ...(context && { context }),
})
const archivedFile = () => rights.arnOf('archive/v1/flow/x.parquet')
const ownStack = arn('cloudformation', 'stack/NetworkAccess-Data/0a1b2c3d')
const ownAlarm = arn('cloudwatch', 'alarm:NetworkAccess-MonitoringApiFaults-AbCdEf')
const ownRule = arn('events', 'rule/NetworkAccess-SchedulesExpire-AbCdEf')
const ownDeployment = arn('codedeploy', 'deploymentgroup:NetworkAccess-Operations/NetworkAccess-Operations-AbCdEf')
const mapping = arn('lambda', 'event-source-mapping:0a1b2c3d')
const restored = arn('dynamodb', 'table/NetworkAccess-restored')

function documentedNeeds(): Map<string, Name> {
  const [, section = ''] = /## Who may do what\n(.*?)\n## /s.exec(readFileSync('docs/operating.md', 'utf8')) ?? []
  return new Map(
    names.flatMap((name) => {
      const row = section.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? ''
      return [...row.matchAll(/\]\(runbooks\/([\w-]+\.md)\)/g)].map(([, file = '']): [string, Name] => [file, name])
    }),
  )
}

describe('a runbook', () => {
  /** Runbooks that include a deployment, which requires the permissions of a deployer. */
  const deploys = ['repair.md']
  const commands = documentedCommands('aws').filter(
    ({ file }) => /^docs\/(runbooks\/|operating\.md)/.test(file) && !deploys.some((name) => file.endsWith(name)),
  )

  it.each([...new Set(commands.map(({ file }) => file))].filter((file) => file.includes('runbooks/')))(
    'is possible with the policy that operating.md requires for it, and with no lesser one: %s',
    (file) => {
      const need = documentedNeeds().get(file.replace('docs/runbooks/', '')) ?? 'ReadPolicy'
      const attached = names.slice(0, names.indexOf(need) + 1)
      const denied: string[] = []
      let needed = need === 'ReadPolicy'
      for (const { words } of commands.filter((command) => command.file === file)) {
        if (words.length <= 3) continue
        const option = (name: string) => words[words.indexOf(name) + 1] ?? ''
        const calls = callsOf[words.slice(1, 3).join(' ')]
        if (!calls) {
          denied.push(`${words.join(' ')}: its actions are not known to this test`)
          continue
        }
        for (const call of calls(option)) {
          if (decide(attached, call) !== 'allowed') denied.push(`${words.join(' ')}: ${call.action} ${call.resource}`)
          if (decide(attached.slice(0, -1), call) !== 'allowed') needed = true
        }
      }
      expect(denied).toEqual([])
      expect(needed, `${file} does with less than ${need}`).toBe(true)
    },
  )

  it('contains commands if the table names it', () => {
    const needs = documentedNeeds()
    expect(needs.size).toBeGreaterThan(8)
    for (const file of needs.keys()) expect(readFileSync(`docs/runbooks/${file}`, 'utf8')).toMatch(/aws \w+ |npm run/)
  })
})

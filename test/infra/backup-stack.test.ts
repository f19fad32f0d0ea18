import { expect, it } from 'vitest'
import { templatesOf } from '#test/support/service/templates.ts'

const vault = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:elsewhere'
const copied = { backupVaultArn: vault, backupDays: '60' }

it('creates no backup stack without a destination of copies', async () => {
  expect((await templatesOf([])).names).toEqual(['NetworkAccess-Data', 'NetworkAccess'])
})

it.each([
  [{}, 'cron(0 3 ? * SUN *)'],
  [{ backupEvery: 'day' }, 'cron(0 3 * * ? *)'],
])(
  'with %j backs up the table and copies it to the vault, both with equal retention',
  async (chosen, ScheduleExpression) => {
    const templates = await templatesOf([], { ...copied, ...chosen })
    const [plan] = templates.all('AWS::Backup::BackupPlan')
    expect(plan?.Properties.BackupPlan.BackupPlanRule).toEqual([
      expect.objectContaining({
        ScheduleExpression,
        Lifecycle: { DeleteAfterDays: 60 },
        CopyActions: [{ DestinationBackupVaultArn: vault, Lifecycle: { DeleteAfterDays: 60 } }],
      }),
    ])
    const [selection] = templates.all('AWS::Backup::BackupSelection')
    const [table] = templates.entries('AWS::DynamoDB::GlobalTable')
    expect(selection?.Properties.BackupSelection.Resources).toEqual([{ 'Fn::GetAtt': [table?.[0], 'Arn'] }])
  },
)

it('retains its vault like other data', async () => {
  const { resources, terminationProtection } = (await templatesOf([], copied)).stack('NetworkAccess-Backup')
  expect(terminationProtection).toBe(true)
  const [made] = Object.values(resources).filter(({ Type }) => Type === 'AWS::Backup::BackupVault')
  expect([made?.DeletionPolicy, made?.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain'])
})

it('backs up an existing table', async () => {
  const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026'
  const templates = await templatesOf([], { backupVaultArn: vault, tableStreamArn })
  expect(templates.all('AWS::Backup::BackupSelection')[0]?.Properties.BackupSelection.Resources).toEqual([
    'arn:aws:dynamodb:eu-central-1:123456789012:table/restored',
  ])
})

it('always has a backup, because weekly ones are kept longer than a week', async () => {
  const message = 'The setting backupDays must be at least 8 when backupEvery=week.'
  await expect(templatesOf([], { ...copied, backupDays: 7 })).rejects.toThrow(message)
  await templatesOf([], { ...copied, backupDays: 7, backupEvery: 'day' })
})

import { beforeAll, expect, it } from 'vitest'
import { auditTrail } from '#infra/roles/partitions.ts'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'

type Statement = { Effect: string; Action?: string | string[]; Condition?: Record<string, Record<string, string[]>> }

/** Settings that each add a stack or a role. */
const settings = {
  backupVaultArn: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:elsewhere',
  domainName: 'access.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/a',
  frontCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/b',
  cdnSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:cdn-AbCdEf',
  encryptionKey: 'own',
  mailSender: 'access@example.com',
  alarmEmail: 'alarms@example.com',
  tracing: 'true',
}

let templates: Templates
let roles: { id: string; managed: unknown[]; statements: Statement[] }[]
beforeAll(async () => {
  templates = await templatesOf([], settings)
  roles = templates.resources.flatMap((resources) =>
    Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
      if (Type !== 'AWS::IAM::Role') return []
      const inline = (Properties.Policies ?? []) as { PolicyDocument: { Statement: Statement[] } }[]
      const attached = Object.values(resources).filter(
        (other) =>
          /^AWS::IAM::(Managed)?Policy$/.test(other.Type) &&
          JSON.stringify(other.Properties.Roles ?? []).includes(`"${id}"`),
      )
      const statements = [
        ...inline.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
        ...attached.flatMap(({ Properties: policy }) => policy.PolicyDocument.Statement as Statement[]),
      ]
      return [{ id, managed: Properties.ManagedPolicyArns ?? [], statements }]
    }),
  )
})

const actionsOf = ({ Action = [] }: Statement): string[] => [Action].flat()

it('denies changes of the audit trail to every role with a permission on the table, for any settings', () => {
  expect(templates.names).toHaveLength(5)
  const onTable = roles.filter(({ statements }) =>
    statements.some(
      (statement) => statement.Effect === 'Allow' && actionsOf(statement).some((name) => /^(dynamodb:|\*)/.test(name)),
    ),
  )
  expect(onTable.length).toBeGreaterThan(20)
  for (const { id, statements } of onTable) {
    for (const action of ['UpdateItem', 'BatchWriteItem', 'PartiQLUpdate', 'DeleteItem', 'PartiQLDelete']) {
      if (/RolesDeleteAccounts/.test(id) && /Delete/.test(action)) continue
      const denied = statements
        .filter((statement) => statement.Effect === 'Deny' && actionsOf(statement).includes(`dynamodb:${action}`))
        .flatMap(({ Condition }) => Condition?.['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys'] ?? [])
      expect(denied, `${id} ${action}`).toEqual(expect.arrayContaining(auditTrail))
    }
  }
})

it('attaches no managed policy except that of backups', () => {
  const managed = roles.flatMap(({ managed }) => managed.map((arn) => JSON.stringify(arn)))
  expect(managed).toEqual([expect.stringContaining('AWSBackupServiceRolePolicyForBackup')])
})

import { Duration, Stack } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Schedule } from 'aws-cdk-lib/aws-events'
import type { Construct } from 'constructs'
import { acknowledge } from '../nag/acknowledge.ts'
import { ownEnd } from '../own-end.ts'
import type { Settings } from '../settings/settings.ts'
import { keptBy } from './kept-by.ts'

type Props = { settings: Settings; table: ITableV2; copyTo: string }

/**
 * Backups of the table, copied to a vault that this account or region cannot take with it. Point-in-time recovery
 * is the finer means, but it ends with the account.
 */
export class BackupStack extends Stack {
  constructor(scope: Construct, id: string, { settings, table, copyTo }: Props) {
    super(scope, id, {
      description: 'Network Access Administration: backups',
      terminationProtection: settings.keepData,
    })
    const backupVault = new BackupVault(this, 'Vault', {
      // The end is the stack's own, so that the vault that a deleted stack has left is in no one's way.
      backupVaultName: `${settings.prefix}-${ownEnd(this)}`,
      removalPolicy: keptBy(settings),
    })
    const deleteAfter = Duration.days(settings.backupDays)
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: `${settings.prefix}-table-${ownEnd(this)}`,
      backupVault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: settings.backupEvery,
          scheduleExpression: Schedule.cron({
            ...(settings.backupEvery === 'week' && { weekDay: 'SUN' }),
            hour: '3',
            minute: '0',
          }),
          deleteAfter,
          copyActions: [
            { destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'CopyVault', copyTo), deleteAfter },
          ],
        }),
      ],
    })
    plan.addSelection('Table', { resources: [BackupResource.fromArn(table.tableArn)] })
    acknowledge(
      plan,
      `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]`,
      'AWS keeps it as its backups need it; only AWS Backup takes the role.',
    )
  }
}

import { Duration, Stack } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import { Schedule } from 'aws-cdk-lib/aws-events'
import type { Construct } from 'constructs'
import { acknowledge } from '../nag/acknowledge.ts'
import { stackIdSuffix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { removalPolicyOf } from './data-retention.ts'
import type { Storage } from './storage.ts'

/** Number of days during which a lock in compliance mode can still be removed. AWS Backup requires at least three. */
const changeableDays = 7

/** Backups of the table, copied to a different account or region. Point-in-time recovery would be lost together with the account. */
export class BackupStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, { table, key }: Storage, copyTo: string) {
    super(scope, id, {
      description: 'Network Access Administration: backups',
      terminationProtection: settings.keepData,
    })
    // Prevents a backup from being deleted before the plan deletes it. Without `changeableFor`, an administrator can remove the lock.
    const lockConfiguration = {
      minRetention: Duration.days(settings.backupDays),
      ...(settings.backupLock === 'compliance' && { changeableFor: Duration.days(changeableDays) }),
    }
    const backupVault = new BackupVault(this, 'Vault', {
      // Adds a suffix that differs per stack, so that a vault retained from a deleted stack does not cause a name conflict.
      backupVaultName: `${settings.prefix}-${stackIdSuffix(this)}`,
      removalPolicy: removalPolicyOf(settings),
      ...(key && { encryptionKey: key }),
      ...(settings.backupLock !== null && { lockConfiguration }),
    })
    const weekly = settings.backupEvery === 'week' && { weekDay: 'SUN' }
    const destinationBackupVault = BackupVault.fromBackupVaultArn(this, 'CopyVault', copyTo)
    const deleteAfter = Duration.days(settings.backupDays)
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: `${settings.prefix}-table-${stackIdSuffix(this)}`,
      backupVault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: settings.backupEvery,
          scheduleExpression: Schedule.cron({ ...weekly, hour: '3', minute: '0' }),
          deleteAfter,
          copyActions: [{ destinationBackupVault, deleteAfter }],
        }),
      ],
    })
    plan.addSelection('Table', { resources: [BackupResource.fromArn(table.tableArn)] })
    acknowledge(
      plan,
      `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]`,
      'AWS maintains this policy for its backups, and only AWS Backup can assume the role.',
    )
  }
}

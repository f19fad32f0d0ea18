import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { directories } from '#shared/domain/directories/directory.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { limitsMailsPartition } from '#shared/jobs/limits/limits-mails.ts'
import { pulseKey } from '#shared/jobs/pulse/pulse.ts'
import { syncMailsPartition } from '#shared/jobs/sync-mails/sync-mails.ts'
import { headKey, partition } from '#shared/table/keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { Duty } from './duties.ts'
import { anyAccount, commitRecords } from './partitions.ts'
import { putsFlows, serviceSecret } from './rights-on-storage.ts'
import { changing, deletions, reads, rightsOnTable } from './table-rights.ts'

/** Of what the clock starts, but for the sealing. */
export function scheduleRights(storage: Storage) {
  const onTable = rightsOnTable(storage)
  return {
    expire: changing(onTable),
    // It changes what a directory owns, and deletes what lies below that.
    sync: [...changing(onTable), serviceSecret(storage)],
    // It looks at all items for those of an account; it makes none but the notes of its own progress.
    deleteAccounts: [
      onTable([...reads, 'dynamodb:Scan', ...deletions]),
      onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [dueAccountsPartition]),
    ],
    compareLimits: [onTable(reads), onTable(['dynamodb:PutItem'], [limitsMailsPartition(anyAccount)])],
    // It notes in the row of what it mails about that it did, by a commit.
    mailSyncErrors: [
      onTable(reads),
      onTable(
        ['dynamodb:PutItem'],
        [
          ...[...Object.values(directories), postureProviders].map(({ name }) => partition(anyAccount, name)),
          headKey(anyAccount).pk,
          commitRecords,
          syncMailsPartition(anyAccount),
        ],
      ),
    ],
    pulse: [onTable(['dynamodb:PutItem', 'dynamodb:DeleteItem'], [pulseKey.pk]), putsFlows(storage)],
  } satisfies Partial<Record<Duty, PolicyStatement[]>>
}

import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { sealedRows } from '#shared/jobs/secret-rotation/sealed-rows.ts'
import { versionNotesPartition } from '#shared/jobs/secret-rotation/version-note.ts'
import { logPartition } from '#shared/logs/log-keys.ts'
import { headKey, partition } from '#shared/table/keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { Duty } from './duties.ts'
import { anyAccount, commitRecords, pointersOf } from './partitions.ts'
import { serviceSecret } from './rights-on-storage.ts'
import { changing, rightsOnTable } from './table-rights.ts'

/** Of what an operator starts, and a deployment. */
export function taskRights(storage: Storage) {
  const onTable = rightsOnTable(storage)
  const secret = serviceSecret(storage)
  return {
    provision: [...changing(onTable), secret],
    // What it may invoke is added with the consumers. It has no right on the table: the consumers write.
    redrive: [
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [storage.failures.bucketArn] }),
      new PolicyStatement({
        actions: ['s3:GetObject', 's3:DeleteObject'],
        resources: [storage.failures.arnForObjects('aws/lambda/*')],
      }),
    ],
    // It changes the secret and sees nothing of the table but what is noted of the versions.
    rotateSecret: [
      onTable(['dynamodb:Query', 'dynamodb:DeleteItem'], [versionNotesPartition]),
      new PolicyStatement({ actions: ['secretsmanager:PutSecretValue'], resources: [storage.secret.secretArn] }),
      secret,
    ],
    // It looks at all items for what is sealed, and commits rows that are sealed anew.
    resealSecrets: [
      onTable(['dynamodb:Scan', 'dynamodb:Query', 'dynamodb:GetItem']),
      onTable(
        ['dynamodb:PutItem'],
        [
          ...[...sealedRows.keys()].map((name) => partition(anyAccount, name)),
          headKey(anyAccount).pk,
          commitRecords,
          versionNotesPartition,
        ],
      ),
      secret,
    ],
    // What it may invoke is added with the consumers, which write.
    replay: [onTable(['dynamodb:Query'], [commitRecords])],
    // The action is about the account and knows no resources.
    checkConcurrency: [new PolicyStatement({ actions: ['lambda:GetAccountSettings'], resources: ['*'] })],
    verify: [
      onTable(['dynamodb:Query'], [commitRecords, logPartition(anyAccount, 'change', '*')]),
      onTable(['dynamodb:BatchGetItem'], [pointersOf('change')]),
      onTable(['dynamodb:GetItem'], [headKey(anyAccount).pk]),
    ],
    // It looks at all items for accounts, and puts what leads to their entries; never an entry.
    indexChangeLog: [
      onTable(['dynamodb:Scan']),
      onTable(['dynamodb:Query'], [logPartition(anyAccount, 'change', '*')]),
      onTable(['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert'], [pointersOf('change')]),
      onTable(['dynamodb:GetItem'], [headKey(anyAccount).pk]),
    ],
    // It looks at all items, and writes none.
    verifyRows: [onTable(['dynamodb:Scan', 'dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:BatchGetItem'])],
  } satisfies Partial<Record<Duty, PolicyStatement[]>>
}

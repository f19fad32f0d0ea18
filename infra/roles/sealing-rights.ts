import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { accounts } from '#shared/domain/accounts/account.ts'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-accounts.ts'
import { entityKey, headKey } from '#shared/table/keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { Duty } from './duties.ts'
import { anyAccount, auditTrail, lockRenewal, sealedAccounts, sealedParts } from './partitions.ts'
import { reads, rightsOnTable } from './table-rights.ts'

/** It reads the trail and what accounts there are, and writes what proves it. It looks for older accounts once. */
export function sealingRights(storage: Storage) {
  const onTable = rightsOnTable(storage)
  return {
    seal: [
      onTable(reads, [
        headKey(anyAccount).pk,
        entityKey(anyAccount, accounts.name, '').pk,
        ...auditTrail,
        sealedParts,
        sealedAccounts,
      ]),
      onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [sealedParts]),
      onTable(['dynamodb:PutItem', 'dynamodb:PartiQLInsert', 'dynamodb:DeleteItem'], [sealedAccounts]),
      onTable(['dynamodb:Scan']),
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [storage.sealed.bucketArn] }),
      new PolicyStatement({
        actions: ['s3:GetObject', 's3:PutObject'],
        resources: [storage.sealed.arnForObjects('*')],
      }),
      new PolicyStatement({ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [storage.sealKey.keyArn] }),
    ],
    // In compliance mode a lock can only be made longer.
    renewLocks: [
      onTable(['dynamodb:Query'], [sealedAccountsPartition]),
      onTable(['dynamodb:GetItem', 'dynamodb:PutItem'], [lockRenewal]),
      new PolicyStatement({
        actions: ['s3:ListBucketVersions', 's3:GetBucketObjectLockConfiguration'],
        resources: [storage.sealed.bucketArn],
      }),
      new PolicyStatement({
        actions: ['s3:GetObjectRetention', 's3:PutObjectRetention'],
        resources: [storage.sealed.arnForObjects('*')],
      }),
    ],
  } satisfies Partial<Record<Duty, PolicyStatement[]>>
}

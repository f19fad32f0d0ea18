import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-log.ts'
import type { Storage } from '../storage/storage.ts'
import { type Duty, hasTrait } from './duties.ts'
import { changes, deletions, mayNot, puts, readsAndChecks } from './may.ts'
import {
  auditTrail,
  commitRecordPartitions,
  endOfAccounts,
  entriesOf,
  notForDevices,
  notForReaders,
  sealedAccounts,
  sealedParts,
} from './partitions.ts'

/**
 * Partitions of the list of sealed accounts that a duty must not put items into, by duty. Duties that are missing here must not put into
 * any.
 */
const sealedAccountsDenied: Partial<Record<Duty, string[]>> = {
  writeChangeLog: [],
  renewLocks: [sealedAccountsPartition],
}

/**
 * Builds the denials that protect the audit trail (docs/decisions/0012). No duty updates the trail, and only the deletion of accounts
 * deletes from it. A put can overwrite, so only duties whose transactions require a put may use it.
 */
export function denyAuditWrites(duty: Duty, { table }: Storage): PolicyStatement[] {
  const denied = (actions: string[], partitions: string[]) =>
    mayNot(actions, [table.tableArn], { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': partitions } })
  return [
    denied(duty === 'deleteAccounts' ? changes : [...changes, ...deletions], auditTrail),
    denied(
      ['dynamodb:PutItem'],
      [
        ...entriesOf('change'),
        ...entriesOf('api_request'),
        ...(hasTrait(duty, 'starts') ? [] : entriesOf('session')),
        ...(hasTrait(duty, 'commits') ? [] : [commitRecordPartitions]),
      ],
    ),
    // Allows only sealing and the deletion of accounts to change the proofs of the trail.
    ...(duty === 'seal' || duty === 'deleteAccounts'
      ? []
      : [denied([...changes, ...deletions], [sealedParts, sealedAccounts])]),
    denied(puts, [...(duty === 'seal' ? [] : [sealedParts]), ...(sealedAccountsDenied[duty] ?? [sealedAccounts])]),
    // Prevents other duties from marking an account for deletion, which would delete its trail.
    ...(hasTrait(duty, 'ends') ? [] : [denied([...changes, ...deletions, ...puts], endOfAccounts)]),
    ...(duty === 'reader' ? [denied(readsAndChecks, notForReaders)] : []),
    ...(duty === 'live' ? [denied(readsAndChecks, [...notForDevices, commitRecordPartitions])] : []),
    ...(hasTrait(duty, 'device') ? [denied(readsAndChecks, notForDevices)] : []),
  ]
}

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
 * Partitions of the list of sealed accounts into which a duty must not put items. A duty that is missing here must not put items into any.
 */
const sealedAccountsDenied: Partial<Record<Duty, string[]>> = {
  writeChangeLog: [],
  renewLocks: [sealedAccountsPartition],
}

/**
 * Builds the denials that protect the audit trail (docs/decisions/0012). No duty updates the trail, and only account deletion deletes from
 * it. A put can overwrite, so it is reserved for duties whose transactions require it.
 */
export function denyAuditWrites(duty: Duty, { table }: Storage): PolicyStatement[] {
  const deny = (actions: string[], partitions: string[]) =>
    mayNot(actions, [table.tableArn], { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': partitions } })
  return [
    deny(duty === 'deleteAccounts' ? changes : [...changes, ...deletions], auditTrail),
    deny(
      ['dynamodb:PutItem'],
      [
        ...entriesOf('change'),
        ...entriesOf('api_request'),
        ...(hasTrait(duty, 'starts') ? [] : entriesOf('session')),
        ...(hasTrait(duty, 'commits') ? [] : [commitRecordPartitions]),
      ],
    ),
    // Allows only sealing and account deletion to change the proofs of the trail.
    ...(duty === 'seal' || duty === 'deleteAccounts'
      ? []
      : [deny([...changes, ...deletions], [sealedParts, sealedAccounts])]),
    deny(puts, [...(duty === 'seal' ? [] : [sealedParts]), ...(sealedAccountsDenied[duty] ?? [sealedAccounts])]),
    // Prevents other duties from marking an account for deletion, which would delete its trail.
    ...(hasTrait(duty, 'ends') ? [] : [deny([...changes, ...deletions, ...puts], endOfAccounts)]),
    ...(duty === 'reader' ? [deny(readsAndChecks, notForReaders)] : []),
    ...(duty === 'live' ? [deny(readsAndChecks, [...notForDevices, commitRecordPartitions])] : []),
    ...(hasTrait(duty, 'device') ? [deny(readsAndChecks, notForDevices)] : []),
  ]
}

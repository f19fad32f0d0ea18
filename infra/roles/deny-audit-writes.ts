import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-log.ts'
import type { Storage } from '../storage/storage.ts'
import { type Duty, has } from './duties.ts'
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

/** Duties that put one kind of item beside the list of sealed accounts, or into it. */
const sealedAccountsDenied: Partial<Record<Duty, string[]>> = {
  writeChangeLog: [],
  renewLocks: [sealedAccountsPartition],
}

/**
 * Denials that keep the audit trail (docs/decisions/0012): nothing changes it, and only the deletion of accounts deletes from
 * it. A put, which can overwrite, is left to duties whose transactions need it.
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
        ...(has(duty, 'starts') ? [] : entriesOf('session')),
        ...(has(duty, 'commits') ? [] : [commitRecordPartitions]),
      ],
    ),
    // Only the sealing function writes the proofs of the trail; the first change of an account has it sealed.
    ...(duty === 'seal' || duty === 'deleteAccounts'
      ? []
      : [denied([...changes, ...deletions], [sealedParts, sealedAccounts])]),
    denied(puts, [...(duty === 'seal' ? [] : [sealedParts]), ...(sealedAccountsDenied[duty] ?? [sealedAccounts])]),
    // Else whoever changes rows could have an account deleted, and its trail with it.
    ...(has(duty, 'ends') ? [] : [denied([...changes, ...deletions, ...puts], endOfAccounts)]),
    ...(duty === 'reader' ? [denied(readsAndChecks, notForReaders)] : []),
    ...(duty === 'live' ? [denied(readsAndChecks, [...notForDevices, commitRecordPartitions])] : []),
    ...(has(duty, 'device') ? [denied(readsAndChecks, notForDevices)] : []),
  ]
}

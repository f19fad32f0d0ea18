import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-accounts.ts'
import type { Storage } from '../storage/storage.ts'
import { committing, type Duty, devices, ending, starting } from './duties.ts'
import {
  auditTrail,
  commitRecords,
  endOfAccounts,
  entriesOf,
  notForDevices,
  notForReaders,
  sealedAccounts,
  sealedParts,
} from './partitions.ts'
import { changes, checks, deletions, puts, reads } from './table-rights.ts'

/** Duties that put one kind of item beside the list of sealed accounts, or into it. */
const sealedAccountsDenied: Partial<Record<Duty, string[]>> = {
  writeChangeLog: [],
  renewLocks: [sealedAccountsPartition],
}

/**
 * What keeps the audit trail (docs/decisions/0012): nothing of it is changed, only the deletion of accounts deletes from it, and
 * a put, which can overwrite, is left to those whose transactions need it.
 */
export function keepsTrail(duty: Duty, { table }: Storage): PolicyStatement[] {
  const denied = (actions: string[], partitions: string[]) =>
    new PolicyStatement({
      effect: Effect.DENY,
      actions,
      resources: [table.tableArn],
      conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': partitions } },
    })
  return [
    denied(duty === 'deleteAccounts' ? changes : [...changes, ...deletions], auditTrail),
    denied(
      ['dynamodb:PutItem'],
      [
        ...entriesOf('change'),
        ...entriesOf('api_request'),
        ...(starting.includes(duty) ? [] : entriesOf('session')),
        ...(committing.includes(duty) ? [] : [commitRecords]),
      ],
    ),
    // What proves the trail is written by who seals it, and by nobody else; the first change of an account has it sealed.
    ...(duty === 'seal' || duty === 'deleteAccounts'
      ? []
      : [denied([...changes, ...deletions], [sealedParts, sealedAccounts])]),
    ...(duty === 'seal' ? [] : [denied(puts, [sealedParts, ...(sealedAccountsDenied[duty] ?? [sealedAccounts])])]),
    // Else whoever changes rows could have an account deleted, and its trail with it.
    ...(ending.includes(duty) ? [] : [denied([...changes, ...deletions, ...puts], endOfAccounts)]),
    ...(duty === 'reader' ? [denied([...reads, ...checks], notForReaders)] : []),
    ...(duty === 'live' ? [denied([...reads, ...checks], [...notForDevices, commitRecords])] : []),
    ...(devices.includes(duty) ? [denied([...reads, ...checks], notForDevices)] : []),
  ]
}

import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-log.ts'
import type { Storage } from '../storage/storage.ts'
import { type Duty, hasTrait } from './duties.ts'
import { changes, deletions, mayNot, puts, readsAndChecks } from './may.ts'
import {
  archiveIndexParts,
  archiveStates,
  auditTrail,
  commitRecordPartitions,
  endOfAccounts,
  entriesOf,
  fileIndexParts,
  flowBlocks,
  nameIndex,
  notForDevices,
  notForReaders,
  notForReadersOfLogs,
  openFlowParts,
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

const archiveParts = [flowBlocks, openFlowParts, ...archiveIndexParts, archiveStates]

type Denial = { actions: string[]; partitions: string[] }

const deny = (actions: string[], partitions: string[]): Denial => ({ actions, partitions })

/**
 * Lists the denials that protect archived flows. The flow consumer only inserts blocks. The flush replaces all other items, the erasure
 * replaces counters and the state, and only account deletion deletes.
 */
function denyArchiveWrites(duty: Duty): Denial[] {
  if (duty === 'deleteAccounts') return [deny([...changes, ...puts], archiveParts)]
  if (duty === 'archive') return [deny(deletions, archiveParts), deny([...changes, ...puts], [flowBlocks])]
  if (duty === 'eraseActor')
    return [deny(deletions, archiveParts), deny([...changes, ...puts], [flowBlocks, openFlowParts, ...fileIndexParts])]
  if (duty !== 'storeFlowLogs') return [deny([...changes, ...deletions, ...puts], archiveParts)]
  return [
    deny([...changes, ...deletions, 'dynamodb:PutItem'], [flowBlocks, archiveStates]),
    deny([...changes, ...deletions, ...puts], [openFlowParts, ...archiveIndexParts]),
  ]
}

/** Groups partitions by their denied actions. One statement per group keeps the template below its maximum size. */
function groupDenials(denials: Denial[]): Denial[] {
  const deniedActions = new Map<string, Set<string>>()
  for (const { actions, partitions } of denials)
    for (const name of partitions) deniedActions.set(name, new Set([...(deniedActions.get(name) ?? []), ...actions]))
  const groups = Map.groupBy(deniedActions, ([, actions]) => [...actions].sort().join())
  return [...groups].map(([actions, members]) =>
    deny(
      actions.split(','),
      members.map(([name]) => name),
    ),
  )
}

/**
 * Builds the denials that protect the audit trail (docs/decisions/0012). No duty updates the trail, and only account deletion deletes from
 * it. A put can overwrite, so it is reserved for duties whose transactions require it.
 */
export function denyAuditWrites(duty: Duty, { table }: Storage): PolicyStatement[] {
  const denials = [
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
    ...denyArchiveWrites(duty),
    // Reserves the index of names for its consumer. Account deletion deletes it.
    deny([...changes, ...(duty === 'writeChangeLog' ? [] : puts)], [nameIndex]),
    ...(duty === 'writeChangeLog' || duty === 'deleteAccounts' ? [] : [deny(deletions, [nameIndex])]),
    // Prevents other duties from marking an account for deletion, which would delete its trail.
    ...(hasTrait(duty, 'ends') ? [] : [deny([...changes, ...deletions, ...puts], endOfAccounts)]),
    ...(duty === 'reader' ? [deny(readsAndChecks, notForReaders)] : []),
    ...(duty === 'readerOfLogs' ? [deny(readsAndChecks, notForReadersOfLogs)] : []),
    ...(duty === 'live' ? [deny(readsAndChecks, [...notForDevices, commitRecordPartitions])] : []),
    ...(hasTrait(duty, 'device') ? [deny(readsAndChecks, notForDevices)] : []),
  ]
  return groupDenials(denials).map(({ actions, partitions }) =>
    mayNot(actions, [table.tableArn], { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': partitions } }),
  )
}

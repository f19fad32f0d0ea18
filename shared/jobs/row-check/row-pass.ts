import * as v from 'valibot'
import { settleMs } from '../../commit/commit-record.ts'
import { clock } from '../../core/clock.ts'
import { accountOf, accountVersionKey, commitKey, counterSort, type Key } from '../../table/keys.ts'
import { unpackIds } from '../../table/member-ids.ts'
import { checkExistence, getItem, getItems, type StoredItem, sortKeysOf } from '../../table/read.ts'
import { closedAccounts } from '../account-deletion/due-account.ts'
import { ScanPosition } from '../read-next.ts'
import { isMemberIds, memberCollections, missingMembers, unfoundedMembers } from './check-members.ts'
import { Walk } from './commit-walk.ts'
import {
  checkedEntities,
  countersOf,
  derivedItems,
  entityOf,
  isDerived,
  isKey,
  itemLocation,
  readItems,
  unpacked,
} from './derived-items.ts'
import { checkOrigins, findingAt, isRow, RowFinding, type Suspicion } from './row-origin.ts'

const maxListed = 1_000

/** Maximum number of reads of items that contradict the rows. Such items may be changing. */
const maxReads = 3

const Counts = v.record(v.string(), v.number())

const StoredVersion = v.strictObject({ sequence: v.number(), clock: v.number(), counts: Counts })

export const Progress = v.strictObject({
  account_id: v.nullable(v.string()),
  start: ScanPosition,
  /** Start of the check in microseconds. An account with later commits was changed while its rows were counted. */
  begun: v.number(),
  rows: v.number(),
  /** Partition that the scan has reached. A scan returns all items of a partition together. */
  partition: v.nullable(v.strictObject({ pk: v.string(), counted: v.nullable(v.number()), found: v.number() })),
  /** Stored account version of each account, whose counters are compared with the rows counted in `found`. */
  versions: v.record(v.string(), StoredVersion),
  found: v.record(v.string(), Counts),
  findings: v.array(RowFinding),
  truncated: v.boolean(),
  /** Accounts that were changed while their rows were counted. */
  moved: v.array(v.string()),
  /**
   * Walk over the commits of the current account. Accounts follow in the order of their ids. Null until all pages are checked, and after
   * the last account.
   */
  walk: v.nullable(Walk),
})
export type Progress = v.InferOutput<typeof Progress>

const sameKey = (a: Key, b: Key) => a.pk === b.pk && a.sk === b.sk

/** Names of the partitions with a row counter: counted indexes, and the member ids of sets. */
const countedPartitionNames: ReadonlySet<string> = new Set([
  ...memberCollections,
  ...[...checkedEntities.values()].flatMap(({ name, indexes }) =>
    Object.entries(indexes).flatMap(([field, { counted }]) => (counted ? [`${name}.${field}`] : [])),
  ),
])

/** Adds a finding. Ignores repeated findings about a row or commit, because several passes may report them. */
export function report(progress: Progress, finding: RowFinding): void {
  const { findings } = progress
  const { item, at, sort } = finding
  const isSame = (other: RowFinding) => other.item === item && other.at === at && other.sort === sort
  if ((item === 'row' || item === 'commit') && findings.some(isSame)) return
  if (findings.length < maxListed) findings.push(finding)
  else progress.truncated = true
}

function compareCounts(progress: Progress, at: Pick<RowFinding, 'account_id' | 'at' | 'sort'>, counted = 0, found = 0) {
  if (counted !== found) report(progress, { problem: 'miscounted', item: 'counter', ...at, counted, found })
}

const isRequested = ({ account_id }: Progress, item: Pick<Key, 'pk'>): boolean =>
  account_id === null || itemLocation(item).account === account_id

/** Enters the next partition, and compares the counter of the previous partition with its counted rows. */
function enterPartition(progress: Progress, pk: string | null): void {
  const { partition } = progress
  if (partition?.pk === pk) return
  if (partition) {
    const at = { account_id: accountOf(partition), at: partition.pk, sort: counterSort }
    compareCounts(progress, at, partition.counted ?? 0, partition.found)
  }
  const isCounted =
    pk !== null && isRequested(progress, { pk }) && countedPartitionNames.has(itemLocation({ pk }).collection)
  progress.partition = isCounted ? { pk, counted: null, found: 0 } : null
}

function count(progress: Progress, item: StoredItem): void {
  enterPartition(progress, item.pk)
  const { partition } = progress
  if (partition && item.sk === counterSort) partition.counted = Number(item.rows)
  else if (partition && item.kind === 'index') partition.found++
  else if (partition && isMemberIds(item)) partition.found += unpackIds(item.ids).length
  if (!isRequested(progress, item)) return
  const { account } = itemLocation(item)
  if (item.kind === 'account_version') {
    const { sequence, clock, counts } = item as StoredItem & v.InferOutput<typeof StoredVersion>
    progress.versions[account] = { sequence, clock, counts }
  }
  const entity = entityOf(item)
  if (entity || item.pk === commitKey(account, 0).pk) progress.found[account] ??= {}
  const found = progress.found[account]
  if (!entity || !found) return
  progress.rows++
  for (const name of countersOf(entity, unpacked(item))) found[name] = (found[name] ?? 0) + 1
}

async function missingItems(rows: StoredItem[]): Promise<Suspicion[]> {
  const expected = rows.flatMap((row) => derivedItems(row).map((item) => ({ row, item })))
  const storedItems = await readItems(expected.map(({ item }) => item))
  return expected.flatMap(({ row, item }, i) => {
    const pointer = storedItems[i]?.row as Key | undefined
    return pointer && sameKey(pointer, row)
      ? []
      : [{ about: row, finding: findingAt('missing', item.kind as 'unique' | 'index', item) }]
  })
}

/** Finds unique and index items that no existing row requires. */
async function unfoundedItems(pointers: StoredItem[]): Promise<Suspicion[]> {
  // Reads an item without a valid pointer instead of its row. Because such an item is not a row, it is reported.
  const rows = await readItems(pointers.map((pointer) => (isKey(pointer.row) ? pointer.row : pointer)))
  return pointers.flatMap((pointer, i) => {
    const row = rows[i]
    if (row && derivedItems(row).some((item) => sameKey(item, pointer))) return []
    return [{ about: pointer, finding: findingAt('unfounded', pointer.kind as 'unique' | 'index', pointer) }]
  })
}

/**
 * Finds account versions whose last commit record is missing, or for which a newer record exists. One transaction writes both the version
 * and the record.
 */
async function inconsistentVersions(versions: StoredItem[]): Promise<Suspicion[]> {
  const keys = versions.flatMap(({ pk, sequence }) =>
    [0, 1].map((next) => commitKey(accountOf({ pk }), Number(sequence) + next)),
  )
  const exist = await checkExistence(keys)
  const now = await getItems(versions)
  return keys.flatMap((key, i) => {
    const [version, isBeyond] = [versions[i >> 1] as StoredItem, i % 2 === 1]
    if (exist[i] !== isBeyond || now[i >> 1]?.sequence !== version.sequence) return []
    return [{ about: version, finding: findingAt(isBeyond ? 'unfounded' : 'missing', 'commit', key) }]
  })
}

const suspicionsOf = async (items: StoredItem[]): Promise<Suspicion[]> => [
  ...(await missingItems(items.filter(entityOf))),
  ...(await missingMembers(items)),
  ...(await unfoundedItems(items.filter(isDerived))),
  ...(await unfoundedMembers(items.filter(isMemberIds))),
  ...(await inconsistentVersions(items.filter(({ kind }) => kind === 'account_version'))),
  ...(await checkOrigins(items.filter(isRow))).map((finding) => ({
    about: { pk: finding.at, sk: finding.sort ?? '' },
    finding,
  })),
]

/**
 * Counts the items of a page and compares them with the rows. Items that contradict the rows are read again, because they may be changing.
 */
export async function checkPage(progress: Progress, items: StoredItem[]): Promise<void> {
  for (const item of items) count(progress, item)
  let suspicions = await suspicionsOf(items.filter((item) => isRequested(progress, item)).map(unpacked))
  for (let attempt = 1; attempt < maxReads && suspicions.length > 0; attempt++) {
    await clock.sleep(settleMs)
    const keys = new Map(suspicions.map(({ about }) => [`${about.pk}\n${about.sk}`, about]))
    const now = await readItems([...keys.values()])
    suspicions = await suspicionsOf(now.filter((item) => item !== undefined))
  }
  for (const { finding } of suspicions) report(progress, finding)
  await dropClosed(progress)
}

/** Reports the findings that require all pages: wrong counters and missing account versions. */
export async function endPages(progress: Progress): Promise<void> {
  enterPartition(progress, null)
  const { versions, found, begun } = progress
  const ids = Object.keys(versions)
  const now = await getItems(ids.map(accountVersionKey))
  const moved = ids.filter((_, i) => Number(now[i]?.clock ?? begun) >= begun)
  progress.moved = moved
  progress.findings = progress.findings.filter(
    ({ item, account_id }) => item !== 'counter' || !moved.includes(account_id),
  )
  for (const [account_id, { counts }] of Object.entries(versions)) {
    if (moved.includes(account_id)) continue
    const rows = found[account_id] ?? {}
    for (const at of new Set([...Object.keys(counts), ...Object.keys(rows)]))
      compareCounts(progress, { account_id, at, sort: null }, counts[at], rows[at])
  }
  for (const account of Object.keys(found)) if (!(account in versions)) await checkAccountVersion(progress, account)
  await dropClosed(progress)
}

/** Reports an account that has commits but no account version. Deleting an account removes both. */
async function checkAccountVersion(progress: Progress, account: string): Promise<void> {
  const key = accountVersionKey(account)
  const [commit] = await sortKeysOf(commitKey(account, 0).pk, { limit: 1 })
  if (commit !== undefined && !(await getItem(key))) report(progress, findingAt('missing', 'account_version', key))
}

/** Drops findings about accounts that are being deleted, because their items are deleted one by one. */
export async function dropClosed(progress: Progress): Promise<void> {
  if (progress.findings.length === 0) return
  const closed = await closedAccounts()
  progress.findings = progress.findings.filter(({ account_id }) => !closed.has(account_id))
}

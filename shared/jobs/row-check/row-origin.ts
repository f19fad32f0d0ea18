import * as v from 'valibot'
import { type Change, readCommitRecord, rowDigest, rowName, type WrittenRows } from '../../commit/commit-record.ts'
import { isObject } from '../../core/json/is-object.ts'
import { sortedJson } from '../../core/json/json.ts'
import { inParallel, slicesOf } from '../../core/work/in-parallel.ts'
import { type Entity, itemRow, type Row, redacted, redactRow, rowKey, versionOf } from '../../table/entity.ts'
import { accountOf, commitKey, counterSort, type Key } from '../../table/keys.ts'
import { getStoredItems, type StoredItem } from '../../table/read.ts'
import { checkedEntities, itemLocation, unpacked } from './derived-items.ts'

/**
 * Contradiction between an item and the rows, or between a row and the commits. `missing`: a row, commit or account version requires an
 * item that does not exist. `unfounded`: an item points to a row that does not require it, a commit is newer than the account version, or
 * no commit wrote a row. `miscounted`: a counter differs from the number of rows. `altered`: a row differs from the state that its commit
 * wrote. `outdated`: a row has the state of a commit before the last one that wrote it.
 */
export const RowFinding = v.strictObject({
  problem: v.picklist(['missing', 'unfounded', 'miscounted', 'altered', 'outdated']),
  item: v.picklist(['unique', 'index', 'commit', 'counter', 'account_version', 'row']),
  account_id: v.string(),
  /** Partition key of the item, or the name of the counter in the account version. */
  at: v.string(),
  /** Sort key of the item. For member ids, the id of the member. */
  sort: v.nullable(v.string()),
  counted: v.optional(v.number()),
  found: v.optional(v.number()),
  /** Commit that the row names. For a missing or outdated row, the last commit that wrote or deleted it. Set for rows only. */
  commit: v.optional(v.number()),
  /**
   * Fields of an altered row that differ from the commit record. If no recorded field differs, the fields that the record redacts. Missing
   * for unlogged changes.
   */
  fields: v.optional(v.array(v.string())),
})
export type RowFinding = v.InferOutput<typeof RowFinding>

export const findingAt = (
  problem: RowFinding['problem'],
  item: RowFinding['item'],
  { pk, sk }: Key,
  details: Pick<RowFinding, 'commit' | 'fields'> = {},
): RowFinding => ({ problem, item, account_id: accountOf({ pk }), at: pk, sort: sk, ...details })

/** Possible finding, and the key of the item to read again for confirmation. */
export type Suspicion = { about: Key; finding: RowFinding }

/** Number of commit records per read. A record can be up to 400 KB. */
const recordsPerRead = 100
const looksAtOnce = 2

/** True for an item at a key where the service stores rows, regardless of its `kind`. */
export const isRow = (item: Key): boolean =>
  checkedEntities.has(itemLocation(item).collection) && item.sk !== counterSort

type Origin = { commit_id: string; rows: WrittenRows; changes: Change[] }

function originOf(item: StoredItem | undefined): Origin | undefined {
  if (!item) return undefined
  try {
    const { commit_id, rows, changes } = readCommitRecord(unpacked(item))
    return isObject(rows) && Array.isArray(changes) && changes.every(isObject)
      ? { commit_id, rows, changes }
      : undefined
  } catch {
    return undefined
  }
}

/** Compares a row with the record of the commit that the row names. Returns no findings if the commit wrote exactly this row. */
function compareWithOrigin(row: StoredItem, origin: Origin | undefined): RowFinding[] {
  const commit = typeof row.commit === 'number' ? { commit: row.commit } : {}
  const digest = origin?.rows[rowName(row)] ?? null
  const entity = checkedEntities.get(itemLocation(row).collection)
  if (!origin || !entity || digest === null) return [findingAt('unfounded', 'row', row, commit)]
  const difference = differenceOf(entity, row, origin.changes)
  const { shown = [], hidden = [] } = difference ?? {}
  if (shown.length === 0 && digest === rowDigest(origin.commit_id, row)) return []
  const fields = difference ? { fields: shown.length > 0 ? shown : hidden } : {}
  return [findingAt('altered', 'row', row, { ...commit, ...fields })]
}

/** Key of the commit that a row names. A row without a valid sequence gets the key of sequence 0, which no commit has. */
function originKey({ pk, commit }: StoredItem): Key {
  const isSequence = Number.isSafeInteger(commit) && Number(commit) > 0
  return commitKey(accountOf({ pk }), isSequence ? Number(commit) : 0)
}

/** Compares rows with the records of the commits that they name. Reads each record once. */
export async function checkOrigins(rows: StoredItem[]): Promise<RowFinding[]> {
  const byCommit = Map.groupBy(rows, (row) => Object.values(originKey(row)).join())
  const findings: RowFinding[] = []
  await inParallel(slicesOf([...byCommit.values()], recordsPerRead), looksAtOnce, async (slice) => {
    const records = await getStoredItems(slice.flatMap(([row]) => (row ? originKey(row) : [])))
    for (const [i, rowsOfCommit] of slice.entries()) {
      const origin = originOf(records[i])
      findings.push(...rowsOfCommit.flatMap((row) => compareWithOrigin(row, origin)))
    }
  })
  return findings
}

type Fields = Record<string, unknown>

/** Returns the row as recorded after a commit. Returns undefined if the change was not logged. */
function imageOf(entity: Entity, item: StoredItem, changes: Change[]): Fields | undefined {
  const isOfRow = ({ object, after }: Change) => {
    if (object !== entity.name || after === null) return false
    const { pk, sk } = rowKey(entity, accountOf(item), after as Row)
    return pk === item.pk && sk === item.sk
  }
  return changes.find(isOfRow)?.after ?? undefined
}

/** True for a recorded value that contains a redacted secret at any depth. */
const hasRedacted = (recorded: unknown): boolean => sortedJson(recorded).includes(JSON.stringify(redacted))

/** Converts a row to the form used in change records. A row with invalid values is not converted, but its secrets are redacted. */
function shownRow(entity: Entity, row: Fields): Fields {
  try {
    return redactRow(entity, row as Row)
  } catch {
    return redactRow({ ...entity, recorded: (fields) => fields }, row as Row)
  }
}

/** True for attributes that every current row has but change records do not contain. */
const isOfForm = (name: string, item: StoredItem): boolean =>
  ['pk', 'sk', 'version', 'commit'].includes(name) || (name === 'kind' && item.kind === 'entity')

/**
 * Returns the fields that differ from the recorded change, and the `hidden` fields that the record redacts. Returns null without a record,
 * or for a row with an older schema version (docs/evolution.md).
 */
function differenceOf(
  entity: Entity,
  item: StoredItem,
  changes: Change[],
): Record<'shown' | 'hidden', string[]> | null {
  const image = imageOf(entity, item, changes)
  if (!image || item.version !== versionOf(entity)) return null
  const fullRow: Fields = itemRow(entity, item)
  const row = shownRow(entity, fullRow)
  const unrecorded = Object.keys(item).filter((name) => !(name in fullRow) && !isOfForm(name, item))
  const differs = (name: string): boolean => {
    // Ignores a field that is missing from both the record and the item, because the field is newer than both.
    if (!(name in image || name in item)) return false
    if (image[name] === redacted || row[name] === redacted) return false
    return sortedJson(row[name] ?? null) !== sortedJson(image[name] ?? null)
  }
  return {
    shown: [...new Set([...Object.keys(image), ...Object.keys(row)])].filter(differs),
    hidden: [...Object.keys(image).filter((name) => hasRedacted(image[name])), ...unrecorded],
  }
}

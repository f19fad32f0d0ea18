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
 * Contradiction of one item of the table to the rows, or of a row to the commits. `missing`: an item that a row, commit
 * or head requires does not exist. `unfounded`: a unique item or index item points to no row that has it, a commit is beyond the
 * head, or no commit wrote a row. `miscounted`: a counter has another number than the rows. `altered`: a row is not as
 * its commit wrote it. `outdated`: a later commit wrote or deleted a row that is as an earlier one left it.
 */
export const RowFinding = v.strictObject({
  problem: v.picklist(['missing', 'unfounded', 'miscounted', 'altered', 'outdated']),
  item: v.picklist(['unique', 'index', 'commit', 'counter', 'account_version', 'row']),
  account_id: v.string(),
  /** The partition of the item, or the name of the counter in the account version. */
  at: v.string(),
  sort: v.nullable(v.string()),
  counted: v.optional(v.number()),
  found: v.optional(v.number()),
  /** For a row: the commit that it names; where it is `missing` or `outdated`, the last one that wrote or deleted it. */
  commit: v.optional(v.number()),
  /** Fields of an altered row that differ from the record, or those it hides. Missing for unlogged changes. */
  fields: v.optional(v.array(v.string())),
})
export type RowFinding = v.InferOutput<typeof RowFinding>

export const findingAt = (
  problem: RowFinding['problem'],
  item: RowFinding['item'],
  { pk, sk }: Key,
  details: Pick<RowFinding, 'commit' | 'fields'> = {},
): RowFinding => ({ problem, item, account_id: accountOf({ pk }), at: pk, sort: sk, ...details })

/** Commit records in memory at once, per look: one can have 400 KB. */
const perLook = 100
const looksAtOnce = 2

/** True for an item under a key at which the service reads rows, whatever its `kind`. */
export const isRow = (item: Key): boolean =>
  checkedEntities.has(itemLocation(item).collection) && item.sk !== counterSort

type Origin = { commit_id: string; rows: WrittenRows; changes: Change[] }

/** The record in an item; undefined for what no commit has written. */
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

/** Finding of a row, given the record of the commit that it names; none where that commit wrote it as it is. */
function judge(row: StoredItem, origin: Origin | undefined): RowFinding[] {
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

/** The key of the commit that a row names; no commit has the sequence 0. */
function originKey({ pk, commit }: StoredItem): Key {
  const isSequence = Number.isSafeInteger(commit) && Number(commit) > 0
  return commitKey(accountOf({ pk }), isSequence ? Number(commit) : 0)
}

/** Compares rows with the records of the commits that they name. Each record is read once, however many its rows. */
export async function checkOrigins(rows: StoredItem[]): Promise<RowFinding[]> {
  const byCommit = Map.groupBy(rows, (row) => Object.values(originKey(row)).join())
  const findings: RowFinding[] = []
  await inParallel(slicesOf([...byCommit.values()], perLook), looksAtOnce, async (slice) => {
    const records = await getStoredItems(slice.flatMap(([row]) => (row ? originKey(row) : [])))
    for (const [i, own] of slice.entries()) {
      const origin = originOf(records[i])
      findings.push(...own.flatMap((row) => judge(row, origin)))
    }
  })
  return findings
}

type Fields = Record<string, unknown>

/** The row after a commit, as the record of its change shows it; undefined where that change is not logged. */
function imageOf(entity: Entity, item: StoredItem, changes: Change[]): Fields | undefined {
  const isOfRow = ({ object, after }: Change) => {
    if (object !== entity.name || after === null) return false
    const { pk, sk } = rowKey(entity, accountOf(item), after as Row)
    return pk === item.pk && sk === item.sk
  }
  return changes.find(isOfRow)?.after ?? undefined
}

/** Secrets are redacted as a whole, or within the elements of a list. */
const holdsRedacted = (recorded: unknown): boolean => sortedJson(recorded).includes(JSON.stringify(redacted))

/** The row as a record would show it; with its secrets alone redacted where it has values that no record shows. */
function shownRow(entity: Entity, row: Fields): Fields {
  try {
    return redactRow(entity, row as Row)
  } catch {
    return redactRow({ ...entity, recorded: (whole) => whole }, row as Row)
  }
}

/** Attributes of every row of today's form, which no record shows. */
const isOfForm = (name: string, item: StoredItem): boolean =>
  ['pk', 'sk', 'version', 'commit'].includes(name) || (name === 'kind' && item.kind === 'entity')

/**
 * Names of fields that differ from the change on record, and of those `hidden` on it. Null without such a record, and
 * for a row in an older form, which its record shows (docs/evolution.md).
 */
function differenceOf(
  entity: Entity,
  item: StoredItem,
  changes: Change[],
): Record<'shown' | 'hidden', string[]> | null {
  const image = imageOf(entity, item, changes)
  if (!image || item.version !== versionOf(entity)) return null
  const whole: Fields = itemRow(entity, item)
  const row = shownRow(entity, whole)
  const beside = Object.keys(item).filter((name) => !(name in whole) && !isOfForm(name, item))
  const differs = (name: string): boolean => {
    // A field that neither record nor item has is younger than both, and has its default.
    if (!(name in image || name in item)) return false
    if (image[name] === redacted || row[name] === redacted) return false
    return sortedJson(row[name] ?? null) !== sortedJson(image[name] ?? null)
  }
  return {
    shown: [...new Set([...Object.keys(image), ...Object.keys(row)])].filter(differs),
    hidden: [...Object.keys(image).filter((name) => holdsRedacted(image[name])), ...beside],
  }
}

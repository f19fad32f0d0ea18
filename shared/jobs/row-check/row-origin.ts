import { type Change, readCommitRecord } from '../../commit/commit-record.ts'
import { rowDigest, rowName, type WrittenRows } from '../../commit/written-row.ts'
import { isObject } from '../../core/json/is-object.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { waiting } from '../../core/work/waiting.ts'
import { commitKey, counterSort, type Key } from '../../table/keys.ts'
import { getStoredItems, type StoredItem } from '../../table/read.ts'
import { checkedEntities } from './checked-entities.ts'
import { placeOf } from './derived-items.ts'
import { readItems, unpacked } from './read-items.ts'
import { differenceOf } from './row-content.ts'
import type { RowFinding } from './row-finding.ts'

/** Commit records in memory at once, per look: one can have 400 KB. */
const perLook = 100
const looksAtOnce = 2

/** Items of one transaction can be seen one after the other, for milliseconds. */
export const settleMs = 500

/** Looks at rows that do not fit their commits: they may be changing. */
const looks = 3

/** True for an item under a key at which the service reads rows, whatever its `kind`. */
export const isRow = (item: Key): boolean => checkedEntities.has(placeOf(item).collection) && item.sk !== counterSort

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

/** Finding of a row, given the record of the commit that it names; null where that commit wrote it as it is. */
function judge(row: StoredItem, origin: Origin | undefined): RowFinding | null {
  const { account: account_id, collection } = placeOf(row)
  const found = {
    item: 'row' as const,
    account_id,
    at: row.pk,
    sort: row.sk,
    ...(typeof row.commit === 'number' && { commit: row.commit }),
  }
  const digest = origin?.rows[rowName(row)] ?? null
  const entity = checkedEntities.get(collection)
  if (!origin || !entity || digest === null) return { problem: 'unfounded', ...found }
  const difference = differenceOf(entity, row, origin.changes)
  const isSame = digest === rowDigest(origin.commit_id, row)
  if (isSame && !difference?.shown.length) return null
  const { shown = [], hidden = [] } = difference ?? {}
  return { problem: 'altered', ...found, ...(difference && { fields: shown.length > 0 ? shown : hidden }) }
}

/** The commit that a row names; undefined for a number that no commit has. */
const commitOf = (row: StoredItem): Key | undefined =>
  Number.isSafeInteger(row.commit) && Number(row.commit) > 0
    ? commitKey(placeOf(row).account, Number(row.commit))
    : undefined

/** Rows that do not fit the commits that they name. Each record is read once, whatever the number of its rows. */
async function misfits(rows: StoredItem[]): Promise<RowFinding[]> {
  const findings: RowFinding[] = []
  const note = (row: StoredItem, origin: Origin | undefined) => {
    const finding = judge(row, origin)
    if (finding) findings.push(finding)
  }
  const byCommit = new Map<string, { key: Key; rows: StoredItem[] }>()
  for (const row of rows) {
    const key = commitOf(row)
    if (!key) note(row, undefined)
    else {
      const same = byCommit.get(key.pk + key.sk) ?? { key, rows: [] }
      same.rows.push(row)
      byCommit.set(key.pk + key.sk, same)
    }
  }
  const commits = [...byCommit.values()]
  const chunks = Array.from({ length: Math.ceil(commits.length / perLook) }, (_, i) =>
    commits.slice(i * perLook, (i + 1) * perLook),
  )
  await inParallel(chunks, looksAtOnce, async (chunk) => {
    const records = await getStoredItems(chunk.map(({ key }) => key))
    for (const [i, { rows: own }] of chunk.entries()) {
      const origin = originOf(records[i])
      for (const row of own) note(row, origin)
    }
  })
  return findings
}

/**
 * Compares rows with the records of the commits that they name: the commit exists, wrote this row, and wrote it as it is. A row
 * that does not fit is read again, since it may have changed after its page was read.
 */
export async function checkOrigins(rows: StoredItem[]): Promise<RowFinding[]> {
  let findings = await misfits(rows)
  for (let look = 1; look < looks && findings.length > 0; look++) {
    await waiting.sleep(settleMs)
    const now = await readItems(findings.map(({ at, sort }) => ({ pk: at, sk: sort ?? '' })))
    findings = await misfits(now.filter((row) => row !== undefined))
  }
  return findings
}

import type { Change } from '../../commit/commit-record.ts'
import { sortedJson } from '../../core/json/sorted-json.ts'
import { type Entity, itemRow, type Row, redacted, redactRow, rowKey, versionOf } from '../../table/entity.ts'
import { accountOf } from '../../table/keys.ts'
import type { StoredItem } from '../../table/read.ts'

type Fields = Record<string, unknown>

/** How a row differs from what the record of its commit shows of it. */
export type Difference = {
  /** Fields with another value. */
  shown: string[]
  /** Attributes of which the record does not show the value. */
  hidden: string[]
}

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
 * Compares a row with the change that its commit recorded, by the names of fields alone. Null where that change is not on
 * record, and for a row in an older form than today's: its record shows that form (docs/evolution.md).
 */
export function differenceOf(entity: Entity, item: StoredItem, changes: Change[]): Difference | null {
  const image = imageOf(entity, item, changes)
  if (!image || item.version !== versionOf(entity)) return null
  const whole: Fields = itemRow(entity, item)
  const row = shownRow(entity, whole)
  const beside = Object.keys(item).filter((name) => !(name in whole) && !isOfForm(name, item))
  const names = [...new Set([...Object.keys(image), ...Object.keys(row)])]
  const differs = (name: string): boolean => {
    // A field that neither record nor item has is younger than both, and has its default.
    if (!(name in image || name in item)) return false
    if (image[name] === redacted || row[name] === redacted) return false
    return sortedJson(row[name] ?? null) !== sortedJson(image[name] ?? null)
  }
  return {
    shown: names.filter(differs),
    hidden: [...names.filter((name) => name in image && holdsRedacted(image[name])), ...beside],
  }
}

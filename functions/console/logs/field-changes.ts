import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import type { Collection } from '../collection/collection.ts'
import type { Change } from './entries.ts'

/** Change of a field. A list that both versions have is shown by its removed and added elements (K9.2). */
export type FieldChange = { field: string; before: unknown; after: unknown; removed?: unknown[]; added?: unknown[] }

/** Fields that every change has, or that only repeat what the entry shows anyway. */
const quiet = new Set(['id', 'account_id', 'inserted_at', 'created_at', 'updated_at'])

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Compares values without the order of their members, which two versions of an object can have in different orders. */
const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null)

const without = (list: unknown[], other: unknown[]): unknown[] =>
  list.filter((one) => !other.some((element) => isSame(one, element)))

const byNameFirst = (a: string, b: string): number => Number(b === 'name') - Number(a === 'name') || (a < b ? -1 : 1)

/** Lists the fields that a change entry changed. A creation shows the new fields that are not blank, a deletion the old ones. */
export function fieldChanges({
  before,
  after,
  truncated = [],
}: Pick<Change, 'before' | 'after' | 'truncated'>): FieldChange[] {
  // Orders the fields, because two entries of an object can have them in different orders.
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort(byNameFirst)
  return names.flatMap((field): FieldChange[] => {
    const [older, newer] = [before?.[field] ?? null, after?.[field] ?? null]
    if (quiet.has(field) || truncated.includes(field) || isSame(older, newer)) return []
    if (isBlank(older) && isBlank(newer)) return []
    if (!Array.isArray(older) || !Array.isArray(newer)) return [{ field, before: older, after: newer }]
    const [removed, added] = [without(older, newer), without(newer, older)]
    // Shows both versions of a list whose elements changed only their order or number.
    if (removed.length + added.length === 0) return [{ field, before: older, after: newer }]
    return [{ field, before: older, after: newer, removed, added }]
  })
}

/** Groups elements by a key, in the order of the first element of each group. */
export function groupsOf<T>(elements: T[], keyOf: (element: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const element of elements) groups.set(keyOf(element), [...(groups.get(keyOf(element)) ?? []), element])
  return [...groups.values()]
}

/** Groups entries by commit: entries of one commit have equal times in their log ids (K9.1). */
export const commitsOf = (entries: Change[]): Change[][] => groupsOf(entries, ({ log_id }) => log_id.slice(0, 14))

/** Names of the form fields that can be set, without secrets, which entries do not contain. */
export const settableFields = ({ fields }: Pick<Collection, 'fields'>): Set<string> =>
  new Set(fields.filter(({ kind }) => kind !== 'secret').map(({ name }) => name))

/** Fields of a form that a change entry can put back: settable ones that it changed, with their old values (K7.5). */
export function oldFields(change: Change, settable: ReadonlySet<string>): Record<string, unknown> | undefined {
  if (!change.before) return undefined
  const fields = fieldChanges(change).filter(({ field, before }) => settable.has(field) && before !== '[redacted]')
  return fields.length > 0 ? Object.fromEntries(fields.map(({ field, before }) => [field, before])) : undefined
}

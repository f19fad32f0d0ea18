import { type FieldErrors, invalid } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import type { Row } from '../../table/entity.ts'
import type { MemberSet } from './member-set.ts'

const maxEntries = 10_000

/** Lists and objects can be nested too deeply to be written out. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
const distinct = (ids: string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]

/** @throws ApiError `validation_failed` */
function refuseMany<M extends Row>({ envelope }: MemberSet<M>, ...lists: unknown[][]): void {
  if (lists.reduce((sum, list) => sum + list.length, 0) > maxEntries) {
    throw invalid({ [envelope]: [`should have at most ${maxEntries} item(s)`] })
  }
}

/** @throws ApiError `validation_failed` with a message for each malformed id */
function idsOf<M extends Row>({ envelope, noun }: MemberSet<M>, values: unknown[]): string[] {
  const malformed = values.filter((id) => typeof id !== 'string' || !isUuid(id))
  if (malformed.length === 0) return values as string[]
  throw invalid({ [envelope]: [...new Set(malformed.map((id) => `${shown(id)} is not a valid ${noun} id`))] })
}

/** The ids of a `PUT`, a list of entries (A15.4, A19). @throws ApiError `validation_failed` */
export function readWholeSet<M extends Row>(
  set: MemberSet<M>,
  raw: unknown,
  isThere: (id: unknown) => boolean,
): string[] {
  const entries = raw as unknown[]
  refuseMany(set, entries)
  const ids = entries.map((entry) =>
    typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[set.key] : undefined,
  )
  const missing = ids.flatMap((id, i) => (isThere(id) ? [] : [`entry ${i} is missing ${set.key}`]))
  if (missing.length > 0) throw invalid({ [set.envelope]: missing })
  return distinct(idsOf(set, ids))
}

/** The additions and removals of a `PATCH` (A15.4, A19). @throws ApiError `validation_failed` */
export function readEdit<M extends Row>(
  set: MemberSet<M>,
  raw: unknown,
  explain: (list: unknown) => string | null,
): { add: string[]; remove: string[] } {
  const { add = [], remove = [] } = raw as { add?: unknown; remove?: unknown }
  const errors: FieldErrors = {}
  for (const [name, list] of Object.entries({ add, remove })) {
    const message = explain(list)
    if (message !== null) errors[name] = [message]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const lists = { add: add as unknown[], remove: remove as unknown[] }
  refuseMany(set, lists.add, lists.remove)
  const ids = idsOf(set, [...lists.add, ...lists.remove])
  return { add: distinct(ids.slice(0, lists.add.length)), remove: distinct(ids.slice(lists.add.length)) }
}

import { type FieldErrors, invalid } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { isObject } from '../../core/json/is-object.ts'
import { firstMessages } from '../../core/message-limit.ts'
import type { Row } from '../../table/entity.ts'
import { excerpt } from '../../values/excerpt.ts'
import type { JsonSchema } from '../../values/field.ts'
import { maxKeys, tooManyKeys } from '../../values/too-many-keys.ts'
import type { MemberSet } from './member-set.ts'

/** In one request. */
export const maxEntries = 10_000

/** The list of a `PUT` as the reference documents it. */
export const wholeSetSchema = (key: string): JsonSchema => ({
  type: 'array',
  maxItems: maxEntries,
  items: {
    type: 'object',
    maxProperties: maxKeys,
    required: [key],
    properties: { [key]: { type: 'string', format: 'uuid' } },
  },
})

const ids = { type: 'array', maxItems: maxEntries, items: { type: 'string', format: 'uuid' } }

/** The lists of a `PATCH`; together they have no more entries than one. */
export const editSchema: JsonSchema = { type: 'object', maxProperties: maxKeys, properties: { add: ids, remove: ids } }

/** Lists and objects can be nested too deeply to be written out. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : excerpt(String(value))
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const distinct = (ids: string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]

/** @throws ApiError `validation_failed` */
function refuseMany<M extends Row>({ envelope }: MemberSet<M>, ...lists: unknown[][]): void {
  if (lists.reduce((sum, list) => sum + list.length, 0) > maxEntries) {
    throw invalid({ [envelope]: [`should have at most ${maxEntries} item(s)`] })
  }
}

/** @throws ApiError `validation_failed` with a message for each malformed id */
function idsOf<M extends Row>({ envelope, noun }: MemberSet<M>, values: unknown[]): string[] {
  const messages = firstMessages(values, (id) =>
    typeof id === 'string' && isUuid(id) ? null : `${shown(id)} is not a valid ${noun} id`,
  )
  if (messages.length > 0) throw invalid({ [envelope]: messages })
  return values.filter((id) => typeof id === 'string')
}

/** @throws ApiError `validation_failed` for entries of too many keys */
function refuseCrowded<M extends Row>({ envelope }: MemberSet<M>, entries: unknown[]): void {
  const errors: FieldErrors = {}
  for (const [i, entry] of entries.entries()) {
    const message = typeof entry === 'object' && entry !== null ? tooManyKeys(entry) : null
    if (message !== null) errors[`${envelope}.${i}`] = [message]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** The ids of a `PUT`, a list of entries (A15.4, A19). @throws ApiError `validation_failed` */
export function readWholeSet<M extends Row>(
  set: MemberSet<M>,
  entries: unknown[],
  isThere: (id: unknown) => boolean,
): string[] {
  refuseMany(set, entries)
  refuseCrowded(set, entries)
  const ids = entries.map((entry) => (isObject(entry) ? entry[set.key] : undefined))
  const missing = firstMessages(ids, (id, i) => (isThere(id) ? null : `entry ${i} is missing ${set.key}`))
  if (missing.length > 0) throw invalid({ [set.envelope]: missing })
  return distinct(idsOf(set, ids))
}

/** The additions and removals of a `PATCH` (A15.4, A19). @throws ApiError `validation_failed` */
export function readEdit<M extends Row>(
  set: MemberSet<M>,
  sent: { add?: unknown; remove?: unknown },
  explain: (list: unknown) => string | null,
): { add: string[]; remove: string[] } {
  const crowded = tooManyKeys(sent)
  if (crowded !== null) throw invalid({ base: [crowded] })
  const { add = [], remove = [] } = sent
  const lists = { add: listOf(add), remove: listOf(remove) }
  refuseMany(set, lists.add, lists.remove)
  const errors: FieldErrors = {}
  for (const [name, list] of Object.entries({ add, remove })) {
    const message = explain(list)
    if (message !== null) errors[name] = [message]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const ids = idsOf(set, [...lists.add, ...lists.remove])
  return { add: distinct(ids.slice(0, lists.add.length)), remove: distinct(ids.slice(lists.add.length)) }
}

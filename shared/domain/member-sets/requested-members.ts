import { invalid, invalidAt } from '../../core/errors.ts'
import { firstMessages } from '../../core/faults.ts'
import { isUuid } from '../../core/ids.ts'
import { isObject } from '../../core/json/is-object.ts'
import { type JsonSchema, maxKeys, tooManyKeys } from '../../values/field.ts'
import { excerpt } from '../../values/text.ts'
import type { MemberSet } from './set-change.ts'

export const maxEntries = 10_000

/** JSON Schema of the entries in a `PUT` request. */
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

/** JSON Schema of a `PATCH` request. The two lists together may have at most `maxEntries` entries. */
export const editSchema: JsonSchema = { type: 'object', maxProperties: maxKeys, properties: { add: ids, remove: ids } }

/** Renders an invalid id for a message. Lists and objects are rendered only as their type, because they can be deeply nested. */
function renderId(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : excerpt(String(value))
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const distinct = (ids: string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]

function checkEntryCount({ envelope }: MemberSet, ...lists: unknown[][]): void {
  if (lists.reduce((sum, list) => sum + list.length, 0) > maxEntries) {
    throw invalidAt([envelope], `should have at most ${maxEntries} item(s)`)
  }
}

function parseIds({ envelope, noun }: MemberSet, values: unknown[]): string[] {
  const messages = firstMessages(values, (id) =>
    typeof id === 'string' && isUuid(id) ? null : `${renderId(id)} is not a valid ${noun} id`,
  )
  if (messages.length > 0) throw invalidAt([envelope], ...messages)
  return values.filter((id) => typeof id === 'string')
}

function checkKeyCount({ envelope }: MemberSet, entries: unknown[]): void {
  const faults = entries.flatMap((entry, i) => {
    const message = typeof entry === 'object' && entry !== null ? tooManyKeys(entry) : null
    return message === null ? [] : [{ path: [envelope, i], message }]
  })
  if (faults.length > 0) throw invalid(faults)
}

/** Parses the entries of a `PUT` request into distinct ids (A15.4, A19). @throws ApiError `validation_failed` */
export function readWholeSet(set: MemberSet, entries: unknown[]): string[] {
  checkEntryCount(set, entries)
  checkKeyCount(set, entries)
  const ids = entries.map((entry) => (isObject(entry) ? entry[set.key] : undefined))
  const missing = firstMessages(ids, (id, i) => (set.isGiven(id) ? null : `entry ${i} is missing ${set.key}`))
  if (missing.length > 0) throw invalidAt([set.envelope], ...missing)
  return distinct(parseIds(set, ids))
}

/** Parses the additions and removals of a `PATCH` request (A15.4, A19). @throws ApiError `validation_failed` */
export function readEdit(set: MemberSet, sent: { add?: unknown; remove?: unknown }) {
  const limitMessage = tooManyKeys(sent)
  if (limitMessage !== null) throw invalidAt(['base'], limitMessage)
  const { add = [], remove = [] } = sent
  const lists = { add: listOf(add), remove: listOf(remove) }
  checkEntryCount(set, lists.add, lists.remove)
  const faults = Object.entries({ add, remove }).flatMap(([name, list]) =>
    set.isList(list) ? [] : [{ path: [name], message: `must be a list of ${set.idsNoun}` }],
  )
  if (faults.length > 0) throw invalid(faults)
  const ids = parseIds(set, [...lists.add, ...lists.remove])
  return { add: distinct(ids.slice(0, lists.add.length)), remove: distinct(ids.slice(lists.add.length)) }
}

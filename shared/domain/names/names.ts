import * as v from 'valibot'
import { ApiError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { recordOf } from '../../core/json/record-of.ts'
import type { Permission } from '../../core/permission.ts'
import { entityKey } from '../../table/keys.ts'
import { getStoredItems } from '../../table/read.ts'
import { readSingle } from '../../values/page.ts'

const named = ['actors', 'groups', 'resources', 'sites', 'gateways', 'clients'] as const
type Named = (typeof named)[number]

const isNamed = (name: string): name is Named => named.some((collection) => collection === name)

/** Maximum number of ids of a request (K11.G2). */
const maxIds = 100

/** Name of an object in API responses (K11.G2). */
export const ObjectName = v.object({ object: v.picklist(named), id: v.string(), name: v.string() })

export const nameParameters = recordOf(named, (collection) => ({
  type: 'string',
  description: `Ids of ${collection}, separated by commas. All parameters together have 1 to ${maxIds} ids.`,
}))

/** Collections that a query names, in the order of the query. A repeated parameter has one entry. */
const namedIn = (query: URLSearchParams): Named[] =>
  [...new Set([...query.keys()].map((key) => key.replace(/\[\]$/, '')))].filter(isNamed)

/** Returns the permissions that a query requires: to read each collection that it names. */
export const nameReads = (query: URLSearchParams): Permission[] =>
  namedIn(query).map((collection): Permission => `${collection}:read`)

/** Reads the ids of a query. @throws ApiError `invalid_filter` */
function readIds(query: URLSearchParams): { object: Named; id: string }[] {
  const refs = namedIn(query).flatMap((object) => {
    const refuse = () => new ApiError('invalid_filter', `Invalid value for filter ${object}.`)
    const ids = (readSingle(query, object, refuse) ?? '').split(',')
    if (!ids.every(isUuid)) throw refuse()
    return ids.map((id) => ({ object, id: id.toLowerCase() }))
  })
  if (refs.length >= 1 && refs.length <= maxIds) return refs
  throw new ApiError('invalid_filter', `${named.join(', ')} must have 1 to ${maxIds} ids in total.`)
}

/**
 * Returns the names of the objects that a query contains, in its order. Omits unknown ids and repetitions.
 * @throws ApiError `invalid_filter`
 */
export async function namesOf(account: string, query: URLSearchParams) {
  const refs = [...new Map(readIds(query).map((ref) => [`${ref.object}#${ref.id}`, ref])).values()]
  const keys = refs.map(({ object, id }) => entityKey(account, object, id))
  const items = await getStoredItems<{ name?: unknown }>(keys, { attributes: ['name'] })
  const data = refs.flatMap((ref, i) => (items[i] ? [{ ...ref, name: String(items[i].name) }] : []))
  return { data, metadata: { count: data.length } }
}

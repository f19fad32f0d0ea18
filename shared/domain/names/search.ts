import * as v from 'valibot'
import { ApiError } from '../../core/errors.ts'
import { covers, type Permission } from '../../core/permission.ts'
import { entityKey, type Key } from '../../table/keys.ts'
import { getItem, getStoredItems, queryPage } from '../../table/read.ts'
import { readSingle } from '../../values/page.ts'
import {
  completeIndexKey,
  indexedObject,
  isSearched,
  nameIndexPartitions,
  readOf,
  type Searched,
  searchedFields,
  searchedObjects,
} from './name-index.ts'
import { foldWords, markWords, patternOf, unmarked } from './searched-text.ts'

const maxHits = 20
const length = { min: 2, max: 64 }

/** Maximum read units of the queries, which leaves the request with at most 2,000, and of one page of 1 MB (K11.G3(5)). */
const maxUnits = 1_960
const pageUnits = 129

/** Object that a search has found. `value` is that of the field `matched`. */
export const SearchHit = v.object({
  object: v.picklist(searchedObjects),
  id: v.string(),
  name: v.string(),
  matched: v.string(),
  value: v.string(),
})
type SearchHit = v.InferOutput<typeof SearchHit>

export const searchParameters = {
  q: {
    type: 'string',
    minLength: length.min,
    maxLength: length.max,
    description: 'Words. Each is the beginning of a word in the name, email, address, host name or serial of a hit.',
    examples: ['uma'],
  },
  objects: {
    type: 'string',
    description: `Searched collections, separated by commas, of: ${searchedObjects.join(', ')}. All readable ones by default.`,
    examples: ['actors,groups'],
  },
}

/** Returns the permissions that a query requires: to read each collection that it names. */
export const searchReads = (query: URLSearchParams): Permission[] =>
  query.getAll('objects').flatMap((names) => names.split(',').filter(isSearched).map(readOf))

/** Reads the searched collections, by default all that the scopes allow to read. @throws ApiError `invalid_filter` */
function readObjects(query: URLSearchParams, scopes: readonly string[]): Set<Searched> {
  const refuse = () => new ApiError('invalid_filter', 'Invalid value for filter objects.')
  const names = readSingle(query, 'objects', refuse)?.split(',')
  if (names && !names.every(isSearched)) throw refuse()
  return new Set((names ?? searchedObjects).filter((object) => covers(scopes, readOf(object))))
}

/** Reads the words of `q`. @throws ApiError `invalid_filter` */
function readWords(query: URLSearchParams): [string, ...string[]] {
  const refuse = (detail = 'Invalid value for filter q.') => new ApiError('invalid_filter', detail)
  const text = (readSingle(query, 'q', refuse) ?? '').trim()
  const [first, ...others] = foldWords(text)
  const count = [...text].length
  if (first === undefined || count < length.min || count > length.max)
    throw refuse(`q must be text of ${length.min} to ${length.max} characters.`)
  return [first, ...others]
}

type IndexItem = Key & { text: string }

/** Finds the items that contain all patterns. `isCut` is true if the bound ended the search. */
async function findItems(account: string, patterns: string[]): Promise<{ items: IndexItem[]; isCut: boolean }> {
  const containing = { attribute: 'text', texts: patterns }
  const items: IndexItem[] = []
  let unitsLeft = maxUnits
  let parts = nameIndexPartitions(account).map((pk) => ({ pk, start: undefined as string | undefined }))
  while (parts.length > 0) {
    const count = Math.floor(unitsLeft / pageUnits)
    if (count === 0) return { items, isCut: true }
    const pages = await Promise.all(
      parts.slice(0, count).map(async ({ pk, start }) => {
        const page = await queryPage<IndexItem>(pk, { start, relaxed: true, containing }, ['sk', 'text'])
        return { pk, ...page }
      }),
    )
    for (const page of pages) for (const item of page.items) items.push(item)
    unitsLeft -= pages.reduce((sum, { units }) => sum + units, 0)
    parts = [...parts.slice(count), ...pages.flatMap(({ pk, next }) => (next === null ? [] : [{ pk, start: next }]))]
  }
  return { items, isCut: false }
}

/** Returns the position of the first field that contains all patterns; -1 if none does. */
const matchingField = (fields: string[], patterns: string[]): number =>
  fields.findIndex((field) => patterns.every((pattern) => field.includes(pattern)))

/** Returns 0 for a hit with the searched name, 1 for one whose name begins with it, and 2 for others (K11.G3(3)). */
function rankOf([marked = '']: string[], searched: string): number {
  const name = unmarked(marked)
  return name === searched ? 0 : name.startsWith(searched) ? 1 : 2
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Reads the objects of hits. Omits those that were deleted or renamed since they were indexed. */
async function readHits(account: string, hits: { object: Searched; id: string }[], patterns: string[]) {
  const keys = hits.map(({ object, id }) => entityKey(account, object, id))
  const attributes = [...new Set(hits.flatMap(({ object }) => searchedFields[object]))]
  const rows = await getStoredItems(keys, { consistency: 'recent', attributes })
  return hits.flatMap(({ object, id }, i): SearchHit[] => {
    const row = rows[i]
    if (!row) return []
    const values = searchedFields[object].map((field) => String(row[field] ?? ''))
    const at = matchingField(values.map(markWords), patterns)
    const [name = '', matched, value] = [values[0], searchedFields[object][at], values[at]]
    return matched === undefined || value === undefined ? [] : [{ object, id, name, matched, value }]
  })
}

/** Finds objects by their names, emails, addresses, host names and serials (K11.G3). @throws ApiError `invalid_filter` */
export async function search(account: string, query: URLSearchParams, scopes: readonly string[]) {
  const words = readWords(query)
  const objects = readObjects(query, scopes)
  const patterns = [...new Set(words.map(patternOf))]
  const [complete, { items, isCut }] = await Promise.all([
    getItem(completeIndexKey(account), 'recent'),
    objects.size > 0 ? findItems(account, patterns) : { items: [], isCut: false },
  ])
  const hits = items.flatMap(({ sk, text }) => {
    const fields = text.split('\t')
    const { object, id } = indexedObject(sk)
    if (!objects.has(object) || matchingField(fields, patterns) < 0) return []
    return [{ object, id, rank: rankOf(fields, words.join(' ')) }]
  })
  hits.sort((a, b) => a.rank - b.rank || compare(a.object, b.object) || compare(a.id, b.id))
  const data = await readHits(account, hits.slice(0, maxHits), patterns)
  const metadata = { count: data.length, truncated: isCut || hits.length > maxHits, indexed: complete !== undefined }
  return { data, metadata }
}

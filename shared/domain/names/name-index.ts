import type { CommitRecord } from '../../commit/commit-record.ts'
import { uuidBytes, uuidText } from '../../core/ids.ts'
import type { Permission } from '../../core/permission.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { entityKey, type Key, partition } from '../../table/keys.ts'
import { ifMet, putItem, removeItem } from '../../table/put-item.ts'
import { checkExistence } from '../../table/read.ts'
import { markWords } from './searched-text.ts'

/** Searched fields of each collection (K11.G3(1)), the name first. */
export const searchedFields = {
  actors: ['name', 'email'],
  clients: ['name', 'hostname', 'device_serial', 'ipv4', 'ipv6'],
  email_otp_auth_providers: ['name', 'issuer'],
  gateways: ['name', 'ipv4', 'ipv6'],
  groups: ['name', 'email'],
  idp_auth_providers: ['name', 'issuer'],
  idp_directories: ['name', 'idp_domain'],
  mdm_posture_providers: ['name', 'subdomain'],
  oidc_auth_providers: ['name', 'issuer'],
  resources: ['name', 'address'],
  sites: ['name'],
  suite_auth_providers: ['name', 'issuer'],
  suite_directories: ['name', 'domain', 'impersonation_email'],
  tenant_auth_providers: ['name', 'issuer'],
  tenant_directories: ['name'],
} as const satisfies Record<string, readonly [name: 'name', ...others: string[]]>

export type Searched = keyof typeof searchedFields
export const searchedObjects = Object.keys(searchedFields) as Searched[]

export const isSearched = (object: string): object is Searched => Object.hasOwn(searchedFields, object)

const families = { _auth_providers: 'providers', _directories: 'directories', _posture_providers: 'mdm' } as const

/** Returns the permission to read a searched collection. */
export function readOf(object: Searched): Permission {
  const family = Object.entries(families).find(([ending]) => object.endsWith(ending))?.[1]
  return `${family ?? object}:read` as Permission
}

/** Returns the text of an object in the index: its fields, separated by tabs. Only equal texts match the same searches. */
export const indexText = (object: Searched, row: Readonly<Record<string, unknown>>): string =>
  searchedFields[object].map((field) => markWords(String(row[field] ?? ''))).join('\t')

const partitionCount = 8

export const nameIndexPartitions = (account: string): string[] =>
  Array.from({ length: partitionCount }, (_, i) => partition(account, 'names', String(i)))

/** Returns the key of an object in the index. The id is shortened, because a search pays for every byte. */
function indexKey(account: string, object: Searched, id: string): Key {
  const bytes = uuidBytes(id)
  const number = (bytes.at(-1) ?? 0) % partitionCount
  return { pk: partition(account, 'names', String(number)), sk: `${object}#${bytes.toString('base64url')}` }
}

/** Returns the object of a sort key in the index. */
export function indexedObject(sort: string): { object: Searched; id: string } {
  const [object = '', id = ''] = sort.split('#')
  return { object: object as Searched, id: uuidText(Buffer.from(id, 'base64url')) }
}

/** Key of the item that states that the index contains all objects of the account (K11.G3(6)). */
export const completeIndexKey = (account: string): Key => ({ pk: partition(account, 'names', '0'), sk: 'complete' })

export const markComplete = (account: string) => putItem({ ...completeIndexKey(account), kind: 'name_index' })

/** Object as a commit left it. `text` is null for a deleted object. */
type IndexedObject = { object: Searched; id: string; text: string | null; commit: number }

/** Maximum bytes of a text, so that an item has at most 1 KB (K11.G3(4)). */
const maxTextBytes = 880

/** Removes what exceeds the maximum, and a character of which only a part remains. */
const fitting = (text: string): string =>
  Buffer.byteLength(text) <= maxTextBytes
    ? text
    : new TextDecoder().decode(Buffer.from(text).subarray(0, maxTextBytes), { stream: true })

/** Condition that the stored item is not newer than a commit. A delivery can be repeated, late or out of order. */
const unlessNewer = (commit: number, orMissing: boolean) => ({
  ConditionExpression: `${orMissing ? 'attribute_not_exists(pk) OR ' : ''}#commit <= :commit`,
  ExpressionAttributeNames: { '#commit': 'commit' },
  ExpressionAttributeValues: { ':commit': commit },
})

const width = 8

/** Writes objects to the index. Idempotent, in any order (docs/decisions/0052). */
export async function writeNames(account: string, objects: IndexedObject[]): Promise<void> {
  const remove = ({ object, id, commit }: IndexedObject) =>
    ifMet(removeItem(indexKey(account, object, id), unlessNewer(commit, false)))
  const stored: IndexedObject[] = []
  await inParallel(objects, width, async (one) => {
    const { object, id, text, commit } = one
    if (text === null) return remove(one)
    const item = { ...indexKey(account, object, id), kind: 'name', commit, text: fitting(text) }
    if (await ifMet(putItem(item, unlessNewer(commit, true)))) stored.push(one)
  })
  // The object may have been deleted since the commit. Its deletion cannot follow in the stream if it was already delivered.
  const exist = await checkExistence(stored.map(({ object, id }) => entityKey(account, object, id)))
  await inParallel(
    stored.filter((_, i) => !exist[i]),
    width,
    remove,
  )
}

/** Writes the changed names of a commit to the index (K11.G3(4)). Idempotent. */
export async function indexCommit({ account_id, sequence, changes }: CommitRecord): Promise<void> {
  const changed = changes.flatMap(({ object, before, after }): IndexedObject[] => {
    if (!isSearched(object)) return []
    const text = after && indexText(object, after)
    if (text === (before && indexText(object, before))) return []
    return [{ object, id: String((after ?? before)?.id), text, commit: sequence }]
  })
  await writeNames(account_id, changed)
  // From its first commit on, the consumer indexes all objects of an account.
  if (sequence === 1) await markComplete(account_id)
}

import { createHash } from 'node:crypto'

/** Primary key of an item. Every `pk` of account data starts with the account id, so no read can cross accounts. */
export type Key = { pk: string; sk: string }

export type Item = Key & { kind: string; ttl?: number } & Record<string, unknown>

/** Item that points to a row, either to enforce uniqueness or as an index entry. */
export type RowPointer = Key & { row: Key }

/** Returns the partition key of a collection, or of a subset of it: the account id, the collection and further parts, joined by `#`. */
export const partition = (account: string, ...parts: string[]): string => [account, ...parts].join('#')

export const entityKey = (account: string, collection: string, id: string): Key => ({
  pk: partition(account, collection),
  sk: id,
})

/** Returns the key of a presence item. Presence and the time of last use of a row are stored separately, so that updates need no commit. */
export const presenceItemKey = (account: string, collection: string, id: string): Key => ({
  pk: partition(account, `presence.${collection}`),
  sk: id,
})

export const accountVersionKey = (account: string): Key => ({ pk: partition(account, 'version'), sk: 'version' })

export const commitKey = (account: string, sequence: number): Key => ({
  pk: partition(account, 'commits'),
  sk: String(sequence).padStart(16, '0'),
})

/** Returns the account id in a key; `service` for items of the service itself. */
export const accountOf = ({ pk }: Pick<Key, 'pk'>): string => pk.slice(0, pk.indexOf('#'))

type SealedLogName = 'changes' | 'activity' | 'archive'

/** Partition of a sealed log: the newest checkpoint, tiles, and the index from log entries to leaves. */
export const sealPartition = (account: string, log: SealedLogName): string => partition(account, `seal.${log}`)

export const sealKey = (account: string, log: SealedLogName): Key => ({
  pk: sealPartition(account, log),
  sk: 'checkpoint',
})

/** Returns the key of the unique item for a value. Only one item can have this key. */
export const uniqueKey = (account: string, name: string, value: string): Key => ({
  pk: partition(account, `unique.${name}`, value),
  sk: 'unique',
})

/** Replaces a long value with its hash, because a partition key can have at most 2,048 bytes. */
const keyText = (value: string): string =>
  Buffer.byteLength(value) <= 1_500 ? value : createHash('sha256').update(value).digest('base64url')

/** Returns the partition with the ids of the members of a set, such as the actors in a group. */
export const membersPartition = (account: string, collection: string, set: string): string =>
  partition(account, `${collection}.members`, set)

export const indexPartition = (account: string, collection: string, field: string, value: string): string =>
  partition(account, `${collection}.${field}`, keyText(value))

/** Sort key of a partition's row counter, which sorts before every id. */
export const counterSort = '#'

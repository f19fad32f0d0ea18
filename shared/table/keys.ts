import { createHash } from 'node:crypto'

/** The primary key of an item. Every `pk` of an account's data starts with the account id (design: no crossing). */
export type Key = { pk: string; sk: string }

export type Item = Key & { kind: string; ttl?: number } & Record<string, unknown>

/** An item that leads to the row it stands for: a unique item or an index item. */
export type RowPointer = Key & { row: Key }

/** `(<account>, <collection>, …)`: the partition of a collection, or of a part of one. */
export const partition = (account: string, ...parts: string[]): string => [account, ...parts].join('#')

export const entityKey = (account: string, collection: string, id: string): Key => ({
  pk: partition(account, collection),
  sk: id,
})

/** Presence and last use change without an edit. They lie beside the entity, so that they never touch the account version. */
export const presenceItemKey = (account: string, collection: string, id: string): Key => ({
  pk: partition(account, `presence.${collection}`),
  sk: id,
})

export const accountVersionKey = (account: string): Key => ({ pk: partition(account, 'version'), sk: 'version' })

export const commitKey = (account: string, sequence: number): Key => ({
  pk: partition(account, 'commits'),
  sk: String(sequence).padStart(16, '0'),
})

/** The account that a key belongs to; of the service's own keys it is `service`. */
export const accountOf = ({ pk }: Pick<Key, 'pk'>): string => pk.slice(0, pk.indexOf('#'))

/** Partition of one of an account's two sealed logs: newest checkpoint, tiles, and the index from entries to leaves. */
export const sealPartition = (account: string, log: 'changes' | 'activity'): string => partition(account, `seal.${log}`)

/** How far a sealed log is: its newest checkpoint. */
export const sealKey = (account: string, log: 'changes' | 'activity'): Key => ({
  pk: sealPartition(account, log),
  sk: 'checkpoint',
})

/** A unique value of an account: at most one item can stand at this key. */
export const uniqueKey = (account: string, name: string, value: string): Key => ({
  pk: partition(account, `unique.${name}`, value),
  sk: 'unique',
})

/** A key holds 2,048 bytes; a longer text, as a filter can be, stands there by its hash. */
const keyText = (value: string): string =>
  Buffer.byteLength(value) <= 1_500 ? value : createHash('sha256').update(value).digest('base64url')

/** The rows of a collection with one value of a field, in the collection's order. */
export const indexPartition = (account: string, collection: string, field: string, value: string): string =>
  partition(account, `${collection}.${field}`, keyText(value))

/** The sort key of a partition's row counter; it sorts before every id. */
export const counterSort = '#'

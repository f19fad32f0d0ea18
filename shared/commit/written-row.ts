import { createHash } from 'node:crypto'
import { sortedJson } from '../core/json/sorted-json.ts'
import { type Key, partition } from '../table/keys.ts'

/** The rows that a commit wrote, by their names: the digest of the item of each, null for one that it deleted. */
export type WrittenRows = Record<string, string | null>

/** The name of a row in a commit record: its key without the account. */
export const rowName = ({ pk, sk }: Key): string => `${pk.slice(pk.indexOf('#') + 1)}#${sk}`

/** The key of a row that a commit record names. */
export function namedRow(account: string, name: string): Key {
  const at = name.lastIndexOf('#')
  return { pk: partition(account, name.slice(0, at)), sk: name.slice(at + 1) }
}

/**
 * A digest of a row as it is stored, all attributes included. The random id of its commit comes first, so that equal rows
 * have different digests and no item can be prepared for one in advance. Secrets of rows are encrypted or salted hashes.
 */
export const rowDigest = (commitId: string, item: Key & Record<string, unknown>): string =>
  createHash('sha256')
    .update(`${commitId}\n${sortedJson(item)}`)
    .digest()
    .subarray(0, 16)
    .toString('base64url')

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Key } from './keys.ts'

/** Returns one string for a key, for use in maps and sets. */
export const address = ({ pk, sk }: Key): string => `${pk}\n${sk}`

/** Set of items and of whole partitions. */
export class KeySet {
  readonly #items = new Set<string>()
  readonly #partitions = new Set<string>()

  add(pk: string, sk?: string): void {
    if (sk === undefined) this.#partitions.add(pk)
    else this.#items.add(address({ pk, sk }))
  }

  /** True if the set contains one of these items or its partition. */
  includesAny(keys: Iterable<Key>): boolean {
    for (const key of keys) if (this.#partitions.has(key.pk) || this.#items.has(address(key))) return true
    return false
  }
}

const current = new AsyncLocalStorage<KeySet>()

/** Runs work, and adds every read of an item or a partition to `reads`. */
export const recordReads = <T>(reads: KeySet, work: () => T): T => current.run(reads, work)

/** Records the read of an item, or the query of a partition if `sk` is missing. */
export const noteRead = (pk: string, sk?: string): void => current.getStore()?.add(pk, sk)

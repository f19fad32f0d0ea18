import type { Key } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { archivePartition } from './block-keys.ts'

/** Erasure of an actor (R12.4). `rows` is the number of rows in the manifests up to `last_manifest`; -1 before the first of them. */
export type Erasure = { id: string; actor_id: string; erased_at: number; rows: number; last_manifest: number }

/** Erasures of an account by actor, oldest first. No two have the same `erased_at`. */
export type Erasures = ReadonlyMap<string, Erasure>

/** File with erased rows, as manifests list it. `rows` is the number of rows that the erasure `id` has erased in the file. */
export type ErasedFile = { id: string; key: string; sha256: string; rows: number }

/** Item of a rewritten file. Items are numbered from 0, in the order in which the files were rewritten. */
export type ErasedFileItem = Key & ErasedFile & { kind: 'archive_erased_file'; number: number }

export const erasureKey = (account: string, actor: string): Key => ({
  pk: archivePartition(account),
  sk: `erasure#${actor}`,
})

export async function readErasures(account: string): Promise<Erasures> {
  const range = { between: ['erasure#', 'erasure#~'] } as const
  const erasures = await queryItems<Key & Erasure>(archivePartition(account), range)
  return new Map(erasures.sort((a, b) => a.erased_at - b.erased_at).map((erasure) => [erasure.actor_id, erasure]))
}

export const erasedFileKey = (account: string, number: number): Key => ({
  pk: archivePartition(account),
  sk: `erased_file#${String(number).padStart(12, '0')}`,
})

/** Reads the items of rewritten files from a number on, or the last item. */
export const readErasedFiles = (account: string, range: { from: number; limit: number } | 'last') => {
  const { sk } = erasedFileKey(account, range === 'last' ? 0 : range.from)
  const page = range === 'last' ? { backward: true, limit: 1 } : { limit: range.limit }
  return queryItems<ErasedFileItem>(archivePartition(account), { between: [sk, 'erased_file#~'], ...page })
}

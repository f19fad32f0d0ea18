import type { Key } from '../../table/keys.ts'
import { ifMet, putItem } from '../../table/put-item.ts'
import { queryItems } from '../../table/read.ts'
import { archivePartition } from './block-keys.ts'

/** Erasure of an actor (R12.4). */
export type Erasure = { id: string; actor_id: string; erased_at: number }

/** Erasures of an account by actor, oldest first. No two have the same `erased_at`. */
export type Erasures = ReadonlyMap<string, Erasure>

/** State of a file with erased rows. `rows` is the number of its erased rows by their `erased_at`. */
export type ErasedFile = { key: string; sha256: string; rows: Record<string, number> }

/** Item of a file with erased rows. `manifest` is the number of the manifest that lists this state; null until then. */
export type ErasedFileItem = Key & ErasedFile & { kind: 'archive_erased_file'; manifest: number | null }

export const erasureKey = (account: string, actor: string): Key => ({
  pk: archivePartition(account),
  sk: `erasure#${actor}`,
})

export async function readErasures(account: string): Promise<Erasures> {
  const range = { between: ['erasure#', 'erasure#~'] } as const
  const erasures = await queryItems<Key & Erasure>(archivePartition(account), range)
  return new Map(erasures.sort((a, b) => a.erased_at - b.erased_at).map((erasure) => [erasure.actor_id, erasure]))
}

export const erasedFileKey = (account: string, path: string): Key => ({
  pk: archivePartition(account),
  sk: `erased_file#${path}`,
})

export const readErasedFiles = (account: string): Promise<ErasedFileItem[]> =>
  queryItems<ErasedFileItem>(archivePartition(account), { between: ['erased_file#', 'erased_file#~'] })

/** Number of erased rows of a file. */
export const erasedRows = ({ rows }: ErasedFile): number => Object.values(rows).reduce((sum, count) => sum + count, 0)

/**
 * Stores the state of a file, which the next manifest lists. Returns false, and changes nothing, if the item is not `before` any more, or
 * exists and `before` is absent.
 */
export async function storeErasedFile(account: string, file: ErasedFile, before?: ErasedFile): Promise<boolean> {
  if (before?.sha256 === file.sha256 || erasedRows(file) === 0) return true
  const condition = before
    ? { ConditionExpression: 'sha256 = :before', ExpressionAttributeValues: { ':before': before.sha256 } }
    : { ConditionExpression: 'attribute_not_exists(pk)' }
  const item = { ...erasedFileKey(account, file.key), kind: 'archive_erased_file', ...file, manifest: null }
  return (await ifMet(putItem(item, condition))) !== null
}

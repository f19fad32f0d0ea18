import type { Transaction } from '../../commit/transaction.ts'
import { notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { note } from '../../core/logging/invocation.ts'
import { getItem, getRow } from '../../table/read.ts'
import { serviceGuard } from '../accounts/service-guard.ts'
import { directories } from './directory.ts'
import { publicKeyOf } from './key-pair.ts'

/** Lets the keys of a directory be found by its id alone, from the commit on that makes one. */
export const stageKeysOf = (transaction: Transaction, id: string): void =>
  transaction.put({ ...serviceGuard('idp_directory', id), kind: 'guard', account_id: transaction.accountId })

/**
 * The public keys that a directory signs with, for its provider (I4.2): that fetches them by itself, so that a new key needs
 * nobody's hand. One whose key was made before they could be found has them with its next rotation.
 */
export async function keysOf(directoryId: string) {
  const id = directoryId.toLowerCase()
  const guard = isUuid(id) ? await getItem<{ account_id: string }>(serviceGuard('idp_directory', id)) : undefined
  const row = guard && (await getRow(directories.idp, guard.account_id, id))
  if (!row?.kid || !row.private_key) throw notFound()
  note({ account_id: row.account_id })
  return { keys: [await publicKeyOf(row.account_id, row.kid, row.private_key)] }
}

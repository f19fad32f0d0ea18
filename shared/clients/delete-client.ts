import { poolMembers } from '../pool-members/pool-member.ts'
import { hasRoom } from '../table/commit-in-parts.ts'
import { liveKey } from '../table/keys.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { type ClientRow, clients } from './client.ts'

/** Stages the deletion of a client with its session, pool memberships and authorizations (A29); `more` when it did not fit. */
export async function deleteClient(transaction: Transaction, client: ClientRow): Promise<'done' | 'more'> {
  const members = await rowsBy(poolMembers, transaction.accountId, 'device_id', client.id, { limit: 20 })
  for (const member of members) {
    if (!hasRoom(transaction)) return 'more'
    transaction.delete(poolMembers, member)
  }
  if (members.length === 20 || !hasRoom(transaction)) return 'more'
  transaction.delete(clients, client)
  transaction.remove(liveKey(transaction.accountId, clients.name, client.id))
  transaction.revoke({ by: 'client', id: client.id })
  return 'done'
}

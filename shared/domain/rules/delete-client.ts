import { type Author, commit } from '../../commit/commit.ts'
import { stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { presenceItemKey } from '../../table/keys.ts'
import { rowsOfMember } from '../../table/read.ts'
import { type ClientRow, clients } from '../clients/client.ts'
import { renderClient } from '../clients/store.ts'
import { poolMembers } from '../pool-members/pool-member.ts'
import { findPresence } from '../sessions/presence.ts'

/** Stages the deletion of a client with its session, authorizations and pool memberships (A29). */
export async function deleteClient(transaction: Transaction, client: ClientRow): Promise<void> {
  transaction.delete(clients, client)
  transaction.remove(presenceItemKey(transaction.accountId, clients.name, client.id))
  transaction.revoke({ by: 'client', id: client.id })
  if ((await stageRestOfClient(transaction, client.id)) === 'more') {
    transaction.defer({ below: clients.name, id: client.id })
  }
}

export const stageRestOfClient = (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  stageWithinCapacity(
    transaction,
    (range) => rowsOfMember(poolMembers, transaction.accountId, id, range),
    (member) => transaction.delete(poolMembers, member),
  )

/** Deletes a client. Its token stays valid, so that the device can register again (A23.2). */
export const removeClient = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const client = await transaction.existing(clients, id)
    const presence = await findPresence(author.accountId, 'clients', id)
    await deleteClient(transaction, client)
    return { data: { ...renderClient(client, presence ?? null, transaction.now), online: false } }
  })

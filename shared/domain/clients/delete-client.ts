import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { liveKey } from '../../table/keys.ts'
import { rowsBy } from '../../table/read.ts'
import { poolMembers } from '../pool-members/pool-member.ts'
import { type ClientRow, clients } from './client.ts'

/** Stages the deletion of a client with its session, authorizations and pool memberships (A29). */
export async function deleteClient(transaction: Transaction, client: ClientRow): Promise<void> {
  transaction.delete(clients, client)
  transaction.remove(liveKey(transaction.accountId, clients.name, client.id))
  transaction.revoke({ by: 'client', id: client.id })
  if ((await stageRestOfClient(transaction, client.id)) === 'more') {
    transaction.defer({ below: clients.name, id: client.id })
  }
}

export const stageRestOfClient = (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  stageWhileRoom(
    transaction,
    (range) => rowsBy(poolMembers, transaction.accountId, 'device_id', id, range),
    (member) => transaction.delete(poolMembers, member),
  )

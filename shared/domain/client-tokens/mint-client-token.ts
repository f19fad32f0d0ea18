import { dueItem } from '../../commit/due.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { mintToken } from '../../core/secrets/token.ts'
import { type ClientTokenRow, clientTokens } from './client-token.ts'

/** Stages a new client token of an actor; `token` is the string that is shown once (A24). */
export async function mintClientToken(
  transaction: Transaction,
  actorId: string,
  fields: Pick<ClientTokenRow, 'expires_at' | 'auth_provider_id'>,
): Promise<ClientTokenRow & { token: string }> {
  const id = transaction.newId()
  const { token, stored } = await mintToken('client', {
    accountId: transaction.accountId,
    ownerId: actorId,
    tokenId: id,
  })
  transaction.put(dueItem({ account_id: transaction.accountId, collection: clientTokens.name, id }, fields.expires_at))
  return { ...transaction.insert(clientTokens, { id, actor_id: actorId, ...fields, ...stored }), token }
}

import type { Transaction } from '../../commit/transaction.ts'
import { liveKey } from '../../table/keys.ts'
import { type ClientTokenRow, clientTokens } from './client-token.ts'

/** Stages the deletion of a client token; the sessions and authorizations made with it end with it (A29). */
export function deleteClientToken(transaction: Transaction, token: ClientTokenRow): void {
  transaction.delete(clientTokens, token)
  transaction.remove(liveKey(transaction.accountId, clientTokens.name, token.id))
  transaction.revoke({ by: 'client_token', id: token.id })
}

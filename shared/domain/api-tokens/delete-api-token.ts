import type { Transaction } from '../../commit/transaction.ts'
import { liveKey } from '../../table/keys.ts'
import { type ApiTokenRow, apiTokens } from './api-token.ts'

/** Stages the deletion of an API token. */
export function deleteApiToken(transaction: Transaction, token: ApiTokenRow): void {
  transaction.delete(apiTokens, token)
  transaction.remove(liveKey(transaction.accountId, apiTokens.name, token.id))
}

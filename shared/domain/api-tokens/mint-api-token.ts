import { dueItem } from '../../commit/due.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { mintToken } from '../../core/secrets/token.ts'
import { type ApiTokenRow, apiTokens } from './api-token.ts'

/** Stages a new API token of an api_client; `token` is the string that is shown once (A13). */
export async function mintApiToken(
  transaction: Transaction,
  actorId: string,
  fields: Pick<ApiTokenRow, 'name' | 'scopes' | 'expires_at'>,
) {
  const id = transaction.newId()
  const { token, stored } = await mintToken('api', { accountId: transaction.accountId, ownerId: actorId, tokenId: id })
  const row = transaction.insert(apiTokens, { id, actor_id: actorId, ...fields, ...stored })
  transaction.put(dueItem({ account_id: transaction.accountId, collection: apiTokens.name, id }, fields.expires_at))
  return { ...row, last_seen_at: null, token }
}

import { dueItem } from '../../commit/due.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { mintToken } from '../../core/secrets/token.ts'
import { type ApiTokenRow, apiTokens } from './api-token.ts'

export type MintedApiToken = ApiTokenRow & { last_seen_at: null; token: string }

/**
 * Stages a new API token of an api_client; `token` is the string that is shown once (A13). A commit that is tried again stages
 * the token of its earlier attempt, which may be kept somewhere already.
 */
export async function mintApiToken(
  transaction: Transaction,
  actorId: string,
  fields: Pick<ApiTokenRow, 'name' | 'scopes' | 'expires_at'>,
  earlier?: MintedApiToken,
): Promise<MintedApiToken> {
  const id = earlier?.id ?? transaction.newId()
  const { token, stored } = earlier
    ? { token: earlier.token, stored: { secret_salt: earlier.secret_salt, secret_hash: earlier.secret_hash } }
    : await mintToken('api', { accountId: transaction.accountId, ownerId: actorId, tokenId: id })
  const row = transaction.insert(apiTokens, { id, actor_id: actorId, ...fields, ...stored })
  transaction.put(dueItem({ account_id: transaction.accountId, collection: apiTokens.name, id }, fields.expires_at))
  return { ...row, last_seen_at: null, token }
}

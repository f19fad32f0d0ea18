import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { rowsBy } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import { checkExpiry, isUnexpired } from '../../values/expiry.ts'
import { accounts } from '../accounts/account.ts'
import { limitReached } from '../accounts/check-limit.ts'
import { actors } from '../actors/actor.ts'
import { tokenStore } from '../tokens/store.ts'
import { type ApiTokenFields, apiTokens, deleteApiToken, mayGrantAll, mintApiToken, readLastSeen } from './api-token.ts'

export const { list, get, remove, removeAll } = tokenStore(apiTokens, deleteApiToken, async (account, tokens) => {
  const ids = tokens.map(({ id }) => id)
  const lastUses = await readLastSeen(account, apiTokens.name, ids)
  return tokens.map((token, i) => ({ ...token, last_seen_at: lastUses[i] ?? null }))
})

/**
 * Creates an API token (A13.2, A13.3). The errors are checked in the given order.
 * @throws ApiError 404, `not_an_api_client`, `limit_reached`, `validation_failed`, `scope_exceeded`
 */
export const create = (author: Author, actorId: string, draft: () => Draft<v.InferOutput<typeof ApiTokenFields>>) =>
  commit(author, async (transaction) => {
    const actor = await transaction.existing(actors, actorId)
    if (actor.type !== 'api_client') {
      throw new ApiError('not_an_api_client', 'API tokens are created for API clients only.')
    }
    await checkLimit(transaction, actorId)
    const fields = draft()
    checkExpiry(fields, transaction.now)
    const { name = null, scopes = ['*'], ...input } = fields.done()
    if (!mayGrantAll(author, scopes)) {
      throw new ApiError('scope_exceeded', 'A token cannot create a token with more scopes than its own.')
    }
    return { data: mintApiToken(transaction, actorId, { ...input, name, scopes }) }
  })

async function checkLimit(transaction: Transaction, actorId: string): Promise<void> {
  const account = await transaction.get(accounts, transaction.accountId)
  const total = account?.limits.api_tokens_per_client_count ?? null
  if (total === null) return
  const tokens = await rowsBy(apiTokens, transaction.accountId, 'actor_id', actorId)
  const unexpiredTokens = tokens.filter((token) => isUnexpired(token, transaction.now))
  if (unexpiredTokens.length >= total) throw limitReached('api_tokens')
}

import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import { checkExpiry } from '../../values/expiry.ts'
import { actors } from '../actors/actor.ts'
import { tokenStore } from '../tokens/store.ts'
import { type ClientTokenFields, clientTokens, deleteClientToken, mintClientToken } from './client-token.ts'

export const { list, get, remove, removeAll } = tokenStore(
  clientTokens,
  deleteClientToken,
  async (_account, tokens) => tokens,
)

/**
 * Creates a client token for a service account (A24.1). The errors are checked in the given order.
 * @throws ApiError 404, `not_a_service_account`, `validation_failed`
 */
export const create = (author: Author, actorId: string, draft: () => Draft<v.InferOutput<typeof ClientTokenFields>>) =>
  commit(author, async (transaction) => {
    const actor = await transaction.existing(actors, actorId)
    if (actor.type !== 'service_account') {
      throw new ApiError('not_a_service_account', 'Client tokens are created for service accounts only.')
    }
    const fields = draft()
    checkExpiry(fields, transaction.now)
    return { data: await mintClientToken(transaction, actorId, { ...fields.done(), auth_provider_id: null }) }
  })

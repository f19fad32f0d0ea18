import * as v from 'valibot'
import type { Transaction } from '../../commit/transaction.ts'
import { entity } from '../../table/entity.ts'
import { presenceItemKey } from '../../table/keys.ts'
import { Timestamp } from '../../values/fields.ts'
import { stageToken, type TokenRow } from '../tokens/token.ts'

export type ClientTokenRow = TokenRow & {
  /** Provider through which the user signed in to get the token; null if an administrator created it. */
  auth_provider_id: string | null
}

export const clientTokens = entity<ClientTokenRow>({
  name: 'client_tokens',
  defaults: { auth_provider_id: null },
  indexes: {
    actor_id: { value: (row) => row.actor_id, counted: true },
    auth_provider_id: { value: (row) => row.auth_provider_id },
  },
  redact: ['secret_hash'],
})

/** Client token in API responses, without its secret (A24). */
export const ClientToken = v.object({
  id: v.string(),
  actor_id: v.string(),
  expires_at: v.string(),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Response to the creation of a client token, the only response that contains the secret. */
export const ShownClientToken = v.object({ ...ClientToken.entries, token: v.string() })

export const ClientTokenFields = v.object({ expires_at: Timestamp })

/** Stages the deletion of a client token. This also ends the token's sessions and authorizations (A29). */
export function deleteClientToken(transaction: Transaction, token: ClientTokenRow): void {
  transaction.delete(clientTokens, token)
  transaction.remove(presenceItemKey(transaction.accountId, clientTokens.name, token.id))
  transaction.revoke({ by: 'client_token', id: token.id })
}

export const mintClientToken = async (
  transaction: Transaction,
  actorId: string,
  fields: Pick<ClientTokenRow, 'expires_at' | 'auth_provider_id'>,
) => stageToken(transaction, 'client', clientTokens, actorId, fields)

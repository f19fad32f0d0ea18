import { dueItem } from '../../commit/due.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { mintToken, type SecretHash, type TokenKind } from '../../core/secrets/token.ts'
import type { Entity, Row, RowFields } from '../../table/entity.ts'

export type TokenRow = Row & SecretHash & { actor_id: string; expires_at: string }

type NewSecret = { id: string; token: string; secret_hash: string }

/**
 * Stages a new token. Reuses the token that an `earlier` attempt of the commit created, if there is one. Only the token's hash is stored.
 */
export function stageToken<R extends TokenRow>(
  transaction: Transaction,
  kind: TokenKind,
  entity: Entity<R>,
  actorId: string,
  fields: Omit<RowFields<R>, 'actor_id' | 'secret_hash'> & { expires_at: string },
  earlier?: NewSecret,
): R & { token: string } {
  const { accountId } = transaction
  const id = earlier?.id ?? transaction.newId()
  const newToken = earlier ?? mintToken(kind, { accountId, ownerId: actorId, tokenId: id })
  transaction.put(dueItem({ account_id: accountId, collection: entity.name, id }, fields.expires_at))
  const { token, secret_hash } = newToken
  const row = { id, actor_id: actorId, ...fields, secret_hash } as unknown as RowFields<R>
  return { ...transaction.insert(entity, row), token }
}

import { dueItem } from '../../commit/due.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { mintToken } from '../../core/secrets/token.ts'
import { type PortalSessionRow, portalSessions } from './portal-session.ts'

/** Stages a new portal session of an administrator; `token` is the string that is shown once (I2.6). */
export async function mintPortalSession(
  transaction: Transaction,
  actorId: string,
  fields: Pick<PortalSessionRow, 'expires_at' | 'auth_provider_id'>,
): Promise<PortalSessionRow & { token: string }> {
  const { accountId } = transaction
  const id = transaction.newId()
  const { token, stored } = await mintToken('portal', { accountId, ownerId: actorId, tokenId: id })
  transaction.put(dueItem({ account_id: accountId, collection: portalSessions.name, id }, fields.expires_at))
  return { ...transaction.insert(portalSessions, { id, actor_id: actorId, ...fields, ...stored }), token }
}

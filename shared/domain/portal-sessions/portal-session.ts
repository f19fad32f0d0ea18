import * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { unauthorized } from '../../core/errors.ts'
import { entity } from '../../table/entity.ts'
import { stageToken, type TokenRow } from '../tokens/token.ts'

/** A portal session that a sign-in created for an administrator (I2.6). Its token authenticates requests to the account API. */
export type PortalSessionRow = TokenRow & {
  /** Provider of the sign-in; null for a one-time sign-in of the local server (K2.7). */
  auth_provider_id: string | null
}

export const portalSessions = entity<PortalSessionRow>({
  name: 'portal_sessions',
  defaults: { auth_provider_id: null },
  indexes: { actor_id: { value: (row) => row.actor_id }, auth_provider_id: { value: (row) => row.auth_provider_id } },
  redact: ['secret_hash'],
  // Excluded from the change log, because the session log contains portal sessions (L6.2(2)).
  logged: false,
})

/** Portal session in lists, without its secret (K11.G11). */
export const PortalSession = v.object({
  id: v.string(),
  actor_id: v.string(),
  auth_provider_id: v.nullable(v.string()),
  context: v.literal('portal'),
  expires_at: v.string(),
  inserted_at: v.string(),
})

export const mintPortalSession = async (
  transaction: Transaction,
  actorId: string,
  fields: Pick<PortalSessionRow, 'expires_at' | 'auth_provider_id'>,
) => stageToken(transaction, 'portal', portalSessions, actorId, fields)

export const stagePortalSessionDeletions = (
  transaction: Transaction,
  by: 'actor_id' | 'auth_provider_id',
  id: string,
): Promise<'done' | 'more'> => stageRows(transaction, portalSessions, by, id)

/**
 * Deletes a portal session, which invalidates its token (I2.6).
 * @throws ApiError `unauthorized` if the session was deleted in the meantime
 */
export const end = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const session = await transaction.get(portalSessions, id)
    if (!session) throw unauthorized()
    transaction.delete(portalSessions, session)
    return { data: { id } }
  })

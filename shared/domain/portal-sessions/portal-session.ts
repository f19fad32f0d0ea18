import { type Author, commit } from '../../commit/commit.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { unauthorized } from '../../core/errors.ts'
import { entity } from '../../table/entity.ts'
import { stageToken, type TokenRow } from '../tokens/token.ts'

/** A session that a sign-in created for an administrator (I2.6). Its token authenticates the account API. */
export type PortalSessionRow = TokenRow & { auth_provider_id: string }

export const portalSessions = entity<PortalSessionRow>({
  name: 'portal_sessions',
  indexes: { actor_id: { value: (row) => row.actor_id }, auth_provider_id: { value: (row) => row.auth_provider_id } },
  redact: ['secret_hash'],
  // Portal sessions are in the session log instead (L6.2(2)).
  logged: false,
})

/** Stages a new portal session of an administrator (I2.6). */
export const mintPortalSession = async (
  transaction: Transaction,
  actorId: string,
  fields: Pick<PortalSessionRow, 'expires_at' | 'auth_provider_id'>,
) => stageToken(transaction, 'portal', portalSessions, actorId, fields)

/** Stages the deletion of the portal sessions of an actor or of a provider (A29, A30). */
export const stagePortalSessionDeletions = (
  transaction: Transaction,
  by: 'actor_id' | 'auth_provider_id',
  id: string,
): Promise<'done' | 'more'> => stageRows(transaction, portalSessions, by, id)

/** Ends a portal session and thereby its token (I2.6). @throws ApiError `unauthorized` when it has ended meanwhile */
export const end = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const session = await transaction.get(portalSessions, id)
    if (!session) throw unauthorized()
    transaction.delete(portalSessions, session)
    return { data: { id } }
  })

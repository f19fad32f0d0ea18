import { type Author, commit } from '../../commit/commit.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { unauthorized } from '../../core/errors.ts'
import { entity } from '../../table/entity.ts'
import { stageToken, type TokenRow } from '../tokens/token.ts'

/** A session that a sign-in gave an administrator (I2.6); its token opens the account API. */
export type PortalSessionRow = TokenRow & { auth_provider_id: string }

export const portalSessions = entity<PortalSessionRow>({
  name: 'portal_sessions',
  indexes: { actor_id: { value: (row) => row.actor_id }, auth_provider_id: { value: (row) => row.auth_provider_id } },
  redact: ['secret_hash'],
  // They have the session stream (L6.2(2)).
  logged: false,
})

/** Stages a new portal session of an administrator (I2.6). */
export const mintPortalSession = async (
  transaction: Transaction,
  actorId: string,
  fields: Pick<PortalSessionRow, 'expires_at' | 'auth_provider_id'>,
) => stageToken(transaction, 'portal', portalSessions, actorId, fields)

/** Stages the end of the portal sessions of an actor, or of those that a provider gave (A29, A30). */
export const stagePortalSessionDeletions = (
  transaction: Transaction,
  by: 'actor_id' | 'auth_provider_id',
  id: string,
): Promise<'done' | 'more'> => stageRows(transaction, portalSessions, by, id)

/** Ends a session, whose token is refused from then on (I2.6). @throws ApiError `unauthorized` when it has ended meanwhile */
export const end = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const session = await transaction.get(portalSessions, id)
    if (!session) throw unauthorized()
    transaction.delete(portalSessions, session)
    return { data: { id } }
  })

import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { rowsBy } from '../../table/read.ts'
import { portalSessions } from './portal-session.ts'

/** Stages the end of the portal sessions of an actor, or of those that a provider gave (A29, A30). */
export const stagePortalSessionDeletions = (
  transaction: Transaction,
  by: 'actor_id' | 'auth_provider_id',
  id: string,
): Promise<'done' | 'more'> =>
  stageWhileRoom(
    transaction,
    (range) => rowsBy(portalSessions, transaction.accountId, by, id, range),
    (session) => transaction.delete(portalSessions, session),
  )

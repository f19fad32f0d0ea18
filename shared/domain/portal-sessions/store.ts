import { tokenStore } from '../tokens/store.ts'
import { portalSessions } from './portal-session.ts'

/** Ends an actor's portal sessions, as `DELETE /sign_in/session` ends the caller's own (K11.G11). */
export const { remove, removeAll } = tokenStore(
  portalSessions,
  (transaction, session) => transaction.delete(portalSessions, session),
  async (_account, sessions) => sessions,
)

import { clock } from '../core/clock.ts'
import { sideBySide } from '../core/work/side-by-side.ts'
import { actors } from '../domain/actors/actor.ts'
import { portalSessions } from '../domain/portal-sessions/portal-session.ts'
import { existingRow } from '../table/read.ts'
import { isUnexpired } from '../values/expiry.ts'
import type { Page } from '../values/page.ts'
import { newestRows } from './access-list.ts'

/** Lists the unexpired portal sessions of an actor (K11.G11). @throws ApiError 404 */
export async function listPortalSessions(account: string, actorId: string, page: Page) {
  const now = clock.now()
  const listed = newestRows(portalSessions, account, page, ['actor_id', actorId], (session) =>
    isUnexpired(session, now),
  )
  // Reports an invalid cursor before an unknown actor (A4).
  const [{ data, metadata }] = await sideBySide(listed, existingRow(actors, account, actorId))
  return { data: data.map((session) => ({ ...session, context: 'portal' as const })), metadata }
}

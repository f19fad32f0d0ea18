import { isServed } from '../client/coming.ts'
import { useRead } from '../client/queries.ts'
import { hasScope, useSession } from '../session/session.ts'
import { texts } from '../texts/texts.ts'
import type { Row } from './collection.ts'

/** Warns that a change ends the person's own session: it concerns the own actor, credential or sign-in provider (K7.2). */
export function SessionWarning({ row }: { row: Row }) {
  const session = useSession()
  const { actor, credential } = session
  const isProvider = 'portal_session_lifetime_secs' in row && credential.kind === 'portal_session'
  const sessions = useRead('GET /actors/{actor_id}/portal_sessions', {
    path: { actor_id: actor.id },
    query: { limit: 1000 },
    enabled: isProvider && isServed('GET /actors/{actor_id}/portal_sessions') && hasScope(session, 'tokens', 'read'),
  })
  const own = sessions.data?.answer.data.find(({ id }) => id === credential.id)
  const isOwn = row.id === actor.id || row.id === credential.id || own?.auth_provider_id === row.id
  return isOwn ? <p className="remark warning">{texts.confirm.endsSession}</p> : null
}

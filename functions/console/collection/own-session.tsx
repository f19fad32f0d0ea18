import { useRead } from '../client/queries.ts'
import { hasScope, useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import type { Row } from './collection.ts'

/** Milliseconds for which a portal session lasts at most (A25.1). */
const maxLifetime = 86_400_000

/** Reads from the sessions of the log through which provider the person signed in; undefined if it is not known. */
function useOwnProvider(isWanted: boolean): string | undefined {
  const session = useSession()
  const { credential, actor } = session
  const read = useRead('GET /logs', {
    path: {},
    query: {
      type: 'session',
      actor_id: actor.id,
      begin: new Date(Math.floor(Date.now() / maxLifetime - 1) * maxLifetime).toISOString(),
      limit: 100,
      total_limit: 0,
    },
    enabled: isWanted && credential.kind === 'portal_session' && hasScope(session, 'logs', 'read'),
  })
  const entry = read.data?.answer.data.find(
    (one) => one.type === 'session' && one.context === 'portal' && one.subject.token_id === credential.id,
  )
  return entry?.type === 'session' ? (entry.subject.auth_provider_id ?? undefined) : undefined
}

/** Warns in a confirmation if the change of an actor or a provider can end the own session (K7.2). */
export function OwnSessionWarning({ noun, row }: { noun: Noun; row: Row }) {
  const { actor } = useSession()
  const provider = useOwnProvider(noun === 'providers')
  if (row.id !== actor.id && row.id !== provider) return null
  return <p className="remark">{row.id === actor.id ? texts.confirm.ownActor : texts.confirm.ownProvider}</p>
}

import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { changing } from '../../core/work/work.ts'
import { seenFrom } from '../../domain/presence/presence.ts'
import { connectedLeaseEnd, leaseUnder, renderLease } from '../../domain/sessions/lease.ts'
import { conditionContextOf } from '../condition-context.ts'
import { connectableResources } from '../connectable-resources.ts'
import { findSession, type LiveClient } from './client-presence.ts'
import { noteConditionContext } from './note-condition-context.ts'
import { resourcesCursor } from './resources-cursor.ts'

type Caller = CallerOf<'client'>

/** A heartbeat: renews the lease and answers what the client can reach now (P3.2), unless that fails: then nothing changes. */
export async function renewSession(caller: Caller, subject: Subject, sessionId: string) {
  const { account, actor, token } = caller
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const reachable = await connectableResources(account, actor, conditionContextOf(session.client, subject), now)
  const lease = await renewLease(caller, subject, session, now)
  return {
    data: {
      id: sessionId,
      resources: reachable.resources,
      resources_cursor: await resourcesCursor(account.id, sessionId, reachable),
      ...renderLease('clients', lease),
    },
  }
}

/**
 * Renews the lease, which is longer while the session is connected (C3.1): when the connection comes or goes meanwhile, the
 * session is looked at again. The end of the lease. @throws ApiError `not_found` when the session is over
 */
async function renewLease(
  { account, token }: Caller,
  subject: Subject,
  found: LiveClient,
  now: number,
): Promise<number> {
  const sessionId = found.presence.session_id
  for (let session: LiveClient | null = found, tries = 0; session && tries < 5; tries++) {
    const { client, presence } = session
    const { connection_id = null } = presence
    const lease_expires_at = connection_id === null ? leaseUnder(token, now) : connectedLeaseEnd('clients', token, now)
    const seen = { ...seenFrom(subject, presence.last_seen_version, now), lease_expires_at }
    const context = conditionContextOf(client, subject)
    const noted = noteConditionContext(account.id, session, context, now, seen, { connection_id })
    if (await changing(noted)) return lease_expires_at
    session = await findSession(account.id, token.id, sessionId, now)
  }
  throw notFound()
}

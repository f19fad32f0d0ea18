import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { seenFrom } from '../../domain/presence/presence.ts'
import { leaseUnder, renderLease } from '../../domain/sessions/lease.ts'
import { conditionContextOf } from '../condition-context.ts'
import { connectableResources } from '../connectable-resources.ts'
import { findSession } from './client-presence.ts'
import { noteConditionContext } from './note-condition-context.ts'
import { resourcesCursor } from './resources-cursor.ts'

/** A heartbeat: renews the lease and answers what the client can reach now (P3.2), unless that fails: then nothing changes. */
export async function renewSession({ account, actor, token }: CallerOf<'client'>, subject: Subject, sessionId: string) {
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const lease_expires_at = leaseUnder(token, now)
  const context = conditionContextOf(session.client, subject)
  const seen = { ...seenFrom(subject, session.presence.last_seen_version, now), lease_expires_at }
  const reachable = await connectableResources(account, actor, context, now)
  if (!(await noteConditionContext(account.id, session, context, now, seen))) throw notFound()
  return {
    data: {
      id: sessionId,
      resources: reachable.resources,
      resources_cursor: await resourcesCursor(account.id, sessionId, reachable),
      ...renderLease(lease_expires_at),
    },
  }
}

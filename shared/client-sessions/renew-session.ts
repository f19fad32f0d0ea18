import { circumstancesOf } from '../access/circumstances.ts'
import { connectableResources } from '../access/connectable-resources.ts'
import type { CallerOf } from '../auth/caller.ts'
import type { Subject } from '../auth/subject.ts'
import { clock } from '../clock.ts'
import { notFound } from '../errors.ts'
import { seenFrom } from '../presence/presence.ts'
import { leaseEnd, renderLease } from '../sessions/lease.ts'
import { findSession } from './client-presence.ts'
import { noteCircumstances } from './note-circumstances.ts'
import { resourcesCursor } from './resources-cursor.ts'

/** A heartbeat: renews the lease and answers what the client can reach now (P3.2), unless that fails: then nothing changes. */
export async function renewSession({ account, actor, token }: CallerOf<'client'>, subject: Subject, sessionId: string) {
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const lease_expires_at = leaseEnd(now)
  const circumstances = circumstancesOf(session.client, subject)
  const seen = { ...seenFrom(subject, session.presence.last_seen_version, now), lease_expires_at }
  const reachable = await connectableResources(account, actor, circumstances, now)
  if (!(await noteCircumstances(account.id, session, circumstances, now, seen))) throw notFound()
  return {
    data: {
      id: sessionId,
      resources: reachable.resources,
      resources_cursor: await resourcesCursor(account.id, sessionId, reachable),
      ...renderLease(lease_expires_at),
    },
  }
}

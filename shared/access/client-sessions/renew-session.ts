import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { seenFrom } from '../../domain/presence/presence.ts'
import { leaseEnd, renderLease } from '../../domain/sessions/lease.ts'
import { circumstancesOf } from '../circumstances.ts'
import { connectableResources } from '../connectable-resources.ts'
import { findSession } from './client-presence.ts'
import { noteCircumstances } from './note-circumstances.ts'

/** A heartbeat: renews the lease and answers what the client can reach now (P3.2). */
export async function renewSession({ account, actor, token }: CallerOf<'client'>, subject: Subject, sessionId: string) {
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const lease_expires_at = leaseEnd(now)
  const circumstances = circumstancesOf(session.client, subject)
  const seen = { ...seenFrom(subject, session.presence.last_seen_version, now), lease_expires_at }
  if (!(await noteCircumstances(account.id, session, circumstances, now, seen))) throw notFound()
  return {
    data: {
      id: sessionId,
      resources: await connectableResources(account, actor, circumstances, now),
      ...renderLease(lease_expires_at),
    },
  }
}

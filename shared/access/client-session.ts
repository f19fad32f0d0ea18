import * as v from 'valibot'
import type { CallerOf } from '../auth/caller.ts'
import { revoke } from '../commit/revoke.ts'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import { decodeCursor, encodeCursor } from '../core/secrets/cursor.ts'
import type { Subject } from '../core/subject.ts'
import { noteWrite } from '../core/work/work.ts'
import { connectedLeaseEnd, leaseUnder, renderLease } from '../domain/sessions/lease.ts'
import { toLastSeen } from '../domain/sessions/presence.ts'
import { findSession, noteConditionContext, type OnlineClient, updatePresence } from './client-presence.ts'
import { connectableResources, type ReachableResources } from './decide.ts'

type Caller = CallerOf<'client'>

/** Handles a client's heartbeat: reads the resources that the client can reach now, then renews the lease (P3.2). */
export async function renewClientSession(caller: Caller, subject: Subject, sessionId: string) {
  const { account, actor, token } = caller
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const reachable = await connectableResources(account, actor, { client: session.client, subject }, now)
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
 * Renews the lease and returns its end. Retries when a connection opens or closes concurrently, because this changes the end (C3.1).
 * @throws ApiError `not_found` when the session has ended
 */
async function renewLease(
  { account, token }: Caller,
  subject: Subject,
  initialSession: OnlineClient,
  now: number,
): Promise<number> {
  const sessionId = initialSession.presence.session_id
  for (let session: OnlineClient | null = initialSession, tries = 0; session && tries < 5; tries++) {
    const { client, presence } = session
    const { connection_id = null } = presence
    const lease_expires_at = connection_id === null ? leaseUnder(token, now) : connectedLeaseEnd('clients', token, now)
    const fields = { ...toLastSeen(subject, presence.last_seen_version, now), lease_expires_at }
    const context = { client, subject }
    const contextUpdate = noteConditionContext(account.id, session, context, now, fields, { connection_id })
    if (await noteWrite(contextUpdate)) return lease_expires_at
    session = await findSession(account.id, token.id, sessionId, now)
  }
  throw notFound()
}

/** Ends a session and the client's authorizations (P1.7, P5.5(3)). */
export async function endClientSession({ account, token }: CallerOf<'client'>, sessionId: string) {
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const { client } = session
  const leaseUpdate = updatePresence(account.id, client.id, sessionId, now, { lease_expires_at: 0 })
  if ((await noteWrite(leaseUpdate)) === 'conflict') throw notFound()
  await revoke(account.id, { by: 'client', id: client.id })
  return { data: { id: sessionId } }
}

/** Lists the resources that a session's client can reach now, starting after a cursor. Does not renew the lease (P3.1(5)). */
export async function listResources(
  { account, actor, token }: CallerOf<'client'>,
  subject: Subject,
  sessionId: string,
  cursor: string | null,
) {
  const after = cursor === null ? null : await readResourcesCursor(account.id, sessionId, cursor)
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const context = { client: session.client, subject }
  const reachable = await connectableResources(account, actor, context, now, after)
  if (!(await noteConditionContext(account.id, session, context, now))) throw notFound()
  return { data: reachable.resources, metadata: { next_page: await resourcesCursor(account.id, sessionId, reachable) } }
}

const bindingOf = (account: string, sessionId: string): string => `client resources ${account} ${sessionId}`

/** Cursor to the resources that did not fit the response; null when all resources fit (P3.1(5)). */
export const resourcesCursor = async (
  account: string,
  sessionId: string,
  { resources, more }: ReachableResources,
): Promise<string | null> => (more ? encodeCursor(bindingOf(account, sessionId), resources.at(-1)?.id) : null)

/** Decodes a resources cursor to the id of the last listed resource. @throws ApiError `invalid_page_cursor` */
export const readResourcesCursor = (account: string, sessionId: string, cursor: string): Promise<string> =>
  decodeCursor(bindingOf(account, sessionId), cursor, v.string())

import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { conditionContextOf } from '../condition-context.ts'
import { connectableResources } from '../connectable-resources.ts'
import { findSession } from './client-presence.ts'
import { noteConditionContext } from './note-condition-context.ts'
import { readResourcesCursor, resourcesCursor } from './resources-cursor.ts'

/** Lists the resources that the client of a session can reach now, from a cursor on; the lease is not renewed (P3.1(5)). */
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
  const context = conditionContextOf(session.client, subject)
  const reachable = await connectableResources(account, actor, context, now, after)
  if (!(await noteConditionContext(account.id, session, context, now))) throw notFound()
  return {
    data: reachable.resources,
    metadata: { next_page: await resourcesCursor(account.id, sessionId, reachable) },
  }
}

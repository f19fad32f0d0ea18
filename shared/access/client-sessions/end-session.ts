import type { CallerOf } from '../../auth/caller.ts'
import { revoke } from '../../commit/revoke.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import { changing } from '../../core/work/work.ts'
import { findSession } from './client-presence.ts'
import { updatePresence } from './update-presence.ts'

/** Ends a session; the client's authorizations end with it (P1.7, P5.5(3)). */
export async function endSession({ account, token }: CallerOf<'client'>, sessionId: string) {
  const now = clock.now()
  const session = await findSession(account.id, token.id, sessionId, now)
  if (!session) throw notFound()
  const { client } = session
  const ended = updatePresence(account.id, client.id, sessionId, now, { lease_expires_at: 0 })
  if ((await changing(ended)) === 'lost') throw notFound()
  await revoke(account.id, { by: 'client', id: client.id })
  return { data: { id: sessionId } }
}

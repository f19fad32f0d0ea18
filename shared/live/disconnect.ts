import { clock } from '../core/clock.ts'
import { note } from '../core/logging/invocation.ts'
import { leaseEnd } from '../domain/sessions/lease.ts'
import { presenceKey } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { findConnection, forgetConnection } from './connection.ts'

const remove = ['connection_id', 'connected_at', 'messages', 'bad_messages', 'nudged_at', 'nudge_due']

/** A connection has ended: the lease of its session is cut, unless a newer connection stands (C3.2). Harmless to repeat. */
export async function disconnect(connectionId: string): Promise<void> {
  const connection = await findConnection(connectionId)
  if (!connection) return
  const { account_id, device, device_id } = connection
  note({ account_id })
  const key = presenceKey(account_id, device, device_id)
  const lease_expires_at = leaseEnd(clock.now())
  const when = 'connection_id = :connection'
  const values = { connection: connectionId }
  // The lease is cut, not put off; what the item no longer names is none of this connection's business.
  const cutting = {
    set: { lease_expires_at },
    remove,
    when: `${when} AND lease_expires_at > :lease_expires_at`,
    values,
  }
  if (!(await changeItem(key, cutting))) await changeItem(key, { remove, when, values })
  await forgetConnection(connection)
}

import { clock } from '../core/clock.ts'
import { note } from '../core/logging/invocation.ts'
import { leaseEnd } from '../domain/sessions/lease.ts'
import { presenceKey } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { findConnection, forgetConnection } from './connection.ts'

const removedAttributes = ['connection_id', 'connected_at', 'messages', 'bad_messages', 'nudged_at', 'nudge_due']

/** Handles the end of a connection. Shortens the lease of the session unless a newer connection exists (C3.2). Idempotent. */
export async function disconnect(connectionId: string): Promise<void> {
  const connection = await findConnection(connectionId)
  if (!connection) return
  const { account_id, device, device_id } = connection
  note({ account_id })
  const key = presenceKey(account_id, device, device_id)
  const lease_expires_at = leaseEnd(clock.now())
  const when = 'connection_id = :connection'
  const values = { connection: connectionId }
  // Shortens the lease and never extends it. Requires that the presence item still refers to this connection.
  const leaseChange = {
    set: { lease_expires_at },
    remove: removedAttributes,
    when: `${when} AND lease_expires_at > :lease_expires_at`,
    values,
  }
  if (!(await changeItem(key, leaseChange))) await changeItem(key, { remove: removedAttributes, when, values })
  await forgetConnection(connection)
}

import type { ConnectionRef } from '../domain/connections/connection.ts'
import type { DeviceKind, Presence } from '../domain/presence/presence.ts'

/** The connection that a device's live item names, while it has one. */
export const connectionOf = (
  account_id: string,
  device: DeviceKind,
  device_id: string,
  { connection_id, connected_at = 0 }: Pick<Presence, 'connection_id' | 'connected_at'>,
): ConnectionRef | null => (connection_id ? { account_id, device, device_id, connection_id, connected_at } : null)

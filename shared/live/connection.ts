import type { DeviceKind, Presence } from '../domain/sessions/presence.ts'
import { type Key, partition } from '../table/keys.ts'
import { putItem, removeItem } from '../table/put-item.ts'
import { type Consistency, getItem, queryItems } from '../table/read.ts'

/** A device's connection to the live channel (C2). */
export type Connection = {
  connection_id: string
  account_id: string
  device: DeviceKind
  device_id: string
  session_id: string
  token_id: string
  /** Null for a gateway. */
  actor_id: string | null
  /** True for members of the managed group, as all people are (A15.2). */
  is_person: boolean
  /** Microseconds. */
  connected_at: number
}

/** Identity of a connection, with the fields that a message to it needs. */
export type ConnectionRef = Pick<Connection, 'connection_id' | 'account_id' | 'device' | 'device_id' | 'connected_at'>

/** Time to live of the stored connection: API Gateway ends connections after two hours, and its notice can get lost. */
const lifeSeconds = 2 * 3_600 + 600

/** Key of a connection in the partition of its account and kind of device, for lists. */
const placeKey = ({ account_id, device, device_id, connection_id }: ConnectionRef): Key => ({
  pk: partition(account_id, `connections.${device}`),
  sk: `${device_id}#${connection_id}`,
})

/** Key of a connection by its id alone, the only identifier in events of API Gateway. */
const idKey = (connectionId: string): Key => ({ pk: `service#connection#${connectionId}`, sk: 'connection' })

export async function keepConnection(connection: Connection): Promise<void> {
  const ttl = Math.ceil(connection.connected_at / 1_000_000) + lifeSeconds
  const keys = [placeKey(connection), idKey(connection.connection_id)]
  // If one write fails, the handshake fails, the device reconnects, and the other item expires.
  await Promise.all(keys.map((key) => putItem({ ...connection, ...key, kind: 'connection', ttl })))
}

/** Finds a connection by its id; undefined after `forgetConnection`. */
export const findConnection = (connectionId: string, look?: Consistency): Promise<(Key & Connection) | undefined> =>
  getItem<Key & Connection>(idKey(connectionId), look)

/** Deletes a connection's items. Idempotent. */
export async function forgetConnection(connection: ConnectionRef): Promise<void> {
  await Promise.all([placeKey(connection), idKey(connection.connection_id)].map((key) => removeItem(key)))
}

/** Connections of the devices of a kind in an account. */
export const connectionsOf = (account: string, device: DeviceKind): Promise<(Key & Connection)[]> =>
  queryItems<Key & Connection>(partition(account, `connections.${device}`))

/** Finds the connection named by a device's presence item. */
export const connectionOf = (
  account_id: string,
  device: DeviceKind,
  device_id: string,
  { connection_id, connected_at = 0 }: Pick<Presence, 'connection_id' | 'connected_at'>,
): ConnectionRef | null => (connection_id ? { account_id, device, device_id, connection_id, connected_at } : null)

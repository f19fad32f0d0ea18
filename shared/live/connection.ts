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
  /** Actor of a client; null for a gateway. */
  actor_id: string | null
  /** True for people, who are all members of the managed group (A15.2). */
  is_person: boolean
  /** Microseconds since 1970. */
  connected_at: number
}

/** Identifies a connection, with the fields needed to send a message. */
export type ConnectionRef = Pick<Connection, 'connection_id' | 'account_id' | 'device' | 'device_id' | 'connected_at'>

/** Time to live of the stored connection in seconds. API Gateway ends a connection after two hours, and its notification can be lost. */
const lifeSeconds = 2 * 3_600 + 600

/** Key of a connection in the partition of its account and kind of device, by which connections are listed. */
const listKey = ({ account_id, device, device_id, connection_id }: ConnectionRef): Key => ({
  pk: partition(account_id, `connections.${device}`),
  sk: `${device_id}#${connection_id}`,
})

/** Key of a connection by its id, which is the only identifier in events of API Gateway. */
const idKey = (connectionId: string): Key => ({ pk: `service#connection#${connectionId}`, sk: 'connection' })

export async function keepConnection(connection: Connection): Promise<void> {
  const ttl = Math.ceil(connection.connected_at / 1_000_000) + lifeSeconds
  const keys = [listKey(connection), idKey(connection.connection_id)]
  // Writes the items without a transaction. If one write fails, the handshake fails, the device reconnects, and the other item expires.
  await Promise.all(keys.map((key) => putItem({ ...connection, ...key, kind: 'connection', ttl })))
}

export const findConnection = (
  connectionId: string,
  consistency?: Consistency,
): Promise<(Key & Connection) | undefined> => getItem<Key & Connection>(idKey(connectionId), consistency)

/** Deletes both items of a connection. Idempotent. */
export async function forgetConnection(connection: ConnectionRef): Promise<void> {
  await Promise.all([listKey(connection), idKey(connection.connection_id)].map((key) => removeItem(key)))
}

export const connectionsOf = (account: string, device: DeviceKind): Promise<(Key & Connection)[]> =>
  queryItems<Key & Connection>(partition(account, `connections.${device}`))

/** Returns the connection that a device's presence item refers to; null if the item refers to none. */
export const connectionOf = (
  account_id: string,
  device: DeviceKind,
  device_id: string,
  { connection_id, connected_at = 0 }: Pick<Presence, 'connection_id' | 'connected_at'>,
): ConnectionRef | null => (connection_id ? { account_id, device, device_id, connection_id, connected_at } : null)

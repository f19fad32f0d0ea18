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

/** The platform ends a connection after two hours, and may fail to say so. */
const lifeSeconds = 2 * 3_600 + 600

/** Key of a connection among those of its account, so that a list reads no other devices. */
const placeKey = ({ account_id, device, device_id, connection_id }: ConnectionRef): Key => ({
  pk: partition(account_id, `connections.${device}`),
  sk: `${device_id}#${connection_id}`,
})

/** The platform names a connection by its id and knows of no account. */
const idKey = (connectionId: string): Key => ({ pk: `service#connection#${connectionId}`, sk: 'connection' })

export async function keepConnection(connection: Connection): Promise<void> {
  const ttl = Math.ceil(connection.connected_at / 1_000_000) + lifeSeconds
  const keys = [placeKey(connection), idKey(connection.connection_id)]
  // After a failure of one, the device gets a fault and connects again, and the other expires.
  await Promise.all(keys.map((key) => putItem({ ...connection, ...key, kind: 'connection', ttl })))
}

/** The connection of an id, until it is forgotten. */
export const findConnection = (connectionId: string, look?: Consistency): Promise<(Key & Connection) | undefined> =>
  getItem<Key & Connection>(idKey(connectionId), look)

/** Harmless to repeat. */
export async function forgetConnection(connection: ConnectionRef): Promise<void> {
  await Promise.all([placeKey(connection), idKey(connection.connection_id)].map((key) => removeItem(key)))
}

/** Connections of the devices of a kind in an account. */
export const connectionsOf = (account: string, device: DeviceKind): Promise<(Key & Connection)[]> =>
  queryItems<Key & Connection>(partition(account, `connections.${device}`))

/** The connection that a device's live item names, while it has one. */
export const connectionOf = (
  account_id: string,
  device: DeviceKind,
  device_id: string,
  { connection_id, connected_at = 0 }: Pick<Presence, 'connection_id' | 'connected_at'>,
): ConnectionRef | null => (connection_id ? { account_id, device, device_id, connection_id, connected_at } : null)

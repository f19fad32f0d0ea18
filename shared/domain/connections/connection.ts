import { table, tableName } from '../../table/client.ts'
import { DeleteCommand, PutCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem, type Look, queryItems } from '../../table/read.ts'
import type { DeviceKind } from '../presence/presence.ts'

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
  /** Whether the actor is in the managed group, as all people are (A15.2). */
  is_person: boolean
  /** Microseconds. */
  connected_at: number
}

/** What tells one connection from all others, and what a message to it needs. */
export type ConnectionRef = Pick<Connection, 'connection_id' | 'account_id' | 'device' | 'device_id' | 'connected_at'>

/** The platform ends a connection after two hours, and may fail to say so. */
const lifeSeconds = 2 * 3_600 + 600

/** What is connected lies together in its account, so that nobody looks through what is not. */
const placeKey = ({ account_id, device, device_id, connection_id }: ConnectionRef): Key => ({
  pk: partition(account_id, `connections.${device}`),
  sk: `${device_id}#${connection_id}`,
})

/** The platform names a connection by its id and knows of no account. */
const idKey = (connectionId: string): Key => ({ pk: `service#connection#${connectionId}`, sk: 'connection' })

export async function keepConnection(connection: Connection): Promise<void> {
  const ttl = Math.ceil(connection.connected_at / 1_000_000) + lifeSeconds
  const put = (key: Key) =>
    table().send(new PutCommand({ TableName: tableName(), Item: { ...connection, ...key, kind: 'connection', ttl } }))
  // Where only one of them is written, the device hears of a fault and connects again; what is left expires.
  await Promise.all([put(placeKey(connection)), put(idKey(connection.connection_id))])
}

/** The connection of an id, until it is forgotten. */
export const findConnection = (connectionId: string, look?: Look): Promise<(Key & Connection) | undefined> =>
  getItem<Key & Connection>(idKey(connectionId), look)

/** Harmless to repeat. */
export async function forgetConnection(connection: ConnectionRef): Promise<void> {
  const remove = (Key: Key) => table().send(new DeleteCommand({ TableName: tableName(), Key }))
  await Promise.all([remove(placeKey(connection)), remove(idKey(connection.connection_id))])
}

/** What devices of a kind have connected in an account. */
export const connectionsOf = (account: string, device: DeviceKind): Promise<(Key & Connection)[]> =>
  queryItems<Key & Connection>(partition(account, `connections.${device}`))

import { clock, timestamp } from '../../core/clock.ts'
import type { Origin } from '../../core/subject.ts'
import { type Item, type Key, liveKey } from '../../table/keys.ts'
import { getItem, getItems, getRows } from '../../table/read.ts'
import { isUnexpired } from '../../values/expiry.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { gatewayTokens } from '../gateway-tokens/gateway-token.ts'
import { rotationEnded } from '../gateway-tokens/rotation.ts'

export type DeviceKind = 'gateways' | 'clients'

/** The state of a token, as far as the sessions started with it depend on it. */
type TokenState = { ended: boolean; rotated_at: string | null }

/** The states of tokens in the order of their ids; null for one that is gone. */
const tokenStates: Record<DeviceKind, (account: string, ids: string[], now: number) => Promise<(TokenState | null)[]>> =
  {
    gateways: async (account, ids, now) =>
      (await getRows(gatewayTokens, account, ids)).map(
        (token) => token && { ended: rotationEnded(token, now), rotated_at: token.rotated_at },
      ),
    clients: async (account, ids, now) =>
      (await getRows(clientTokens, account, ids)).map(
        (token) => token && { ended: !isUnexpired(token, now), rotated_at: null },
      ),
  }

/** Where and how a device was last seen (P1.6). What is not known of a client's place is not stored. */
export type LastSeen = {
  last_seen_at: string
  last_seen_version: string
  last_seen_user_agent?: string | null
  last_seen_remote_ip: string
  last_seen_remote_ip_location_region?: string | null
  last_seen_remote_ip_location_city?: string | null
  last_seen_remote_ip_location_lat?: number | null
  last_seen_remote_ip_location_lon?: number | null
}

/** The live item of a device: its latest session and where it was last seen. It outlives the session. */
export type Presence = LastSeen & {
  session_id: string
  /** End of the lease in microseconds; 0 once the session was ended. */
  lease_expires_at: number
  token_id: string
  public_key: string
  /** The connection to the live channel, while there is one (C3). */
  connection_id?: string | null
  connected_at?: number
  /** Instants of its last messages, at most ten, in microseconds; and how many it sent that mean nothing (C4). */
  messages?: number[]
  bad_messages?: number
  /** When it was nudged, until a heartbeat follows; `nudge_due` when there was more to tell meanwhile (C5.1). */
  nudged_at?: number | null
  nudge_due?: boolean
}

/** The live item of a client. */
export type ClientPresence = Presence & {
  /** Fingerprint of the circumstances that its authorizations conform to, or a mark of the test that is under way (P3.2). */
  tested: string
}

type PresenceOf = { gateways: Presence; clients: ClientPresence }

/** A presence as it counts: a session whose token is gone has ended (P1.7). */
export type CountedPresence = Omit<Presence, 'token_id'> & {
  token_id: string | null
  /** When the session's token was rotated out (A22). */
  rotated_at: string | null
}

export const presenceKey = (account: string, kind: DeviceKind, id: string): Key => liveKey(account, kind, id)

/**
 * The live item of a device. That of a client stores no null: lists read many of them. The version before compares places of
 * gateways with null, so theirs stay.
 */
export const presenceItem = <K extends DeviceKind>(
  account: string,
  kind: K,
  id: string,
  presence: PresenceOf[K],
): Item => {
  const stored = Object.entries(presence).filter(([, value]) => kind === 'gateways' || value !== null)
  return { ...presenceKey(account, kind, id), kind: 'live', ...Object.fromEntries(stored) }
}

/** The live item of a device as it is stored, whether its session still counts or not. */
export const findPresence = async <K extends DeviceKind>(
  account: string,
  kind: K,
  id: string,
): Promise<PresenceOf[K] | undefined> => (await getItem(presenceKey(account, kind, id))) as PresenceOf[K] | undefined

/** The live items of devices, in the order of their ids. */
export const findPresences = async <K extends DeviceKind>(
  account: string,
  kind: K,
  ids: string[],
): Promise<(PresenceOf[K] | undefined)[]> =>
  (await getItems(ids.map((id) => presenceKey(account, kind, id)))) as (PresenceOf[K] | undefined)[]

/** What is shown of a live item. */
export type Seen = LastSeen & Pick<Presence, 'lease_expires_at' | 'public_key'>

export const seenAttributes = [
  'lease_expires_at',
  'public_key',
  'last_seen_at',
  'last_seen_version',
  'last_seen_user_agent',
  'last_seen_remote_ip',
  'last_seen_remote_ip_location_region',
  'last_seen_remote_ip_location_city',
  'last_seen_remote_ip_location_lat',
  'last_seen_remote_ip_location_lon',
] as const satisfies (keyof Seen)[]

/**
 * The presence of devices, in the order of their ids; null before the first session. Tokens are read too, so that one that
 * was deleted or has ended ends its sessions without a write to each device that used it.
 */
export async function readPresences(
  account: string,
  kind: DeviceKind,
  ids: string[],
): Promise<(CountedPresence | null)[]> {
  if (ids.length === 0) return []
  const live: (Presence | undefined)[] = await findPresences(account, kind, ids)
  const tokenIds = [...new Set(live.flatMap((item) => (item ? [item.token_id] : [])))]
  const states = await tokenStates[kind](account, tokenIds, clock.now())
  const tokens = new Map(tokenIds.map((id, index) => [id, states[index]]))
  return live.map((item) => {
    if (!item) return null
    const token = tokens.get(item.token_id)
    if (!token || token.ended) return { ...item, token_id: null, lease_expires_at: 0, rotated_at: null }
    return { ...item, rotated_at: token.rotated_at }
  })
}

export async function readPresence(account: string, kind: DeviceKind, id: string): Promise<CountedPresence | null> {
  const [presence] = await readPresences(account, kind, [id])
  return presence ?? null
}

/** Online means that the lease of the latest session has not expired (P1.4). */
export const isOnline = (presence: Pick<Presence, 'lease_expires_at'> | null, now: number): boolean =>
  presence !== null && presence.lease_expires_at > now

/** The place of a device as a session start or heartbeat shows it (P1.6, P8). */
export const seenFrom = (origin: Origin, version: string, now: number): LastSeen => ({
  last_seen_at: timestamp(now),
  last_seen_version: version,
  last_seen_user_agent: origin.user_agent,
  last_seen_remote_ip: origin.ip,
  last_seen_remote_ip_location_region: origin.ip_region,
  last_seen_remote_ip_location_city: origin.ip_city,
  last_seen_remote_ip_location_lat: origin.ip_lat,
  last_seen_remote_ip_location_lon: origin.ip_lon,
})

/** The live fields that gateways (A21.1) and clients (A23.1) have in common. */
export const renderPresence = (presence: Seen | null, now: number) => ({
  online: isOnline(presence, now),
  public_key: presence?.public_key ?? null,
  last_seen_at: presence?.last_seen_at ?? null,
  last_seen_version: presence?.last_seen_version ?? null,
  last_seen_user_agent: presence?.last_seen_user_agent ?? null,
  last_seen_remote_ip: presence?.last_seen_remote_ip ?? null,
  last_seen_remote_ip_location_region: presence?.last_seen_remote_ip_location_region ?? null,
  last_seen_remote_ip_location_city: presence?.last_seen_remote_ip_location_city ?? null,
  last_seen_remote_ip_location_lat: presence?.last_seen_remote_ip_location_lat ?? null,
  last_seen_remote_ip_location_lon: presence?.last_seen_remote_ip_location_lon ?? null,
})

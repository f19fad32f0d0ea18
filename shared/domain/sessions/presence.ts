import * as v from 'valibot'
import { clock, timestamp } from '../../core/clock.ts'
import { recordOf } from '../../core/json/record-of.ts'
import type { Origin } from '../../core/subject.ts'
import { type Key, presenceItemKey } from '../../table/keys.ts'
import { getItem, getItems, getRows } from '../../table/read.ts'
import type { ScanTests } from '../../table/scan-rows.ts'
import { isUnexpired } from '../../values/expiry.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { gatewayTokens, rotationEnded } from '../gateway-tokens/gateway-token.ts'

export type DeviceKind = 'gateways' | 'clients'

type TokenState = { isEnded: boolean; rotated_at: string | null }

async function tokenStates(kind: DeviceKind, account: string, ids: string[], now: number) {
  if (kind === 'clients') {
    const tokens = await getRows(clientTokens, account, ids)
    return tokens.map((token): TokenState | null => token && { isEnded: !isUnexpired(token, now), rotated_at: null })
  }
  const tokens = await getRows(gatewayTokens, account, ids)
  return tokens.map((token) => token && { isEnded: rotationEnded(token, now), rotated_at: token.rotated_at })
}

/** Fields of gateways (A21.1) and clients (A23.1) that come from their presence items. */
export const lastSeenFields = {
  last_seen_at: v.nullable(v.string()),
  last_seen_version: v.nullable(v.string()),
  last_seen_user_agent: v.nullable(v.string()),
  last_seen_remote_ip: v.nullable(v.string()),
  last_seen_remote_ip_location_region: v.nullable(v.string()),
  last_seen_remote_ip_location_city: v.nullable(v.string()),
  last_seen_remote_ip_location_lat: v.nullable(v.number()),
  last_seen_remote_ip_location_lon: v.nullable(v.number()),
}
const lastSeenNames = Object.keys(lastSeenFields) as (keyof typeof lastSeenFields)[]

type Shown = v.InferOutput<v.ObjectSchema<typeof lastSeenFields, undefined>>

/** Address, location and version that a device had when it was last seen (P1.6). Unknown values are not stored. */
export type LastSeen = Partial<Shown> & Record<'last_seen_at' | 'last_seen_version' | 'last_seen_remote_ip', string>

/** Presence item of a device: its latest session, and its last address and location. The item outlasts the session. */
export type Presence = LastSeen & {
  session_id: string
  /** Expiry of the lease in microseconds; 0 after the session has ended. */
  lease_expires_at: number
  token_id: string
  public_key: string
  /** Id of the connection to the live channel, while one is open (C3). */
  connection_id?: string | null
  connected_at?: number
  /** Times of the last messages in microseconds, at most ten entries. `bad_messages` counts invalid messages (C4). */
  messages?: number[]
  bad_messages?: number
  /**
   * Time of the last nudge in microseconds, set until the next heartbeat. `nudge_due` is set if a further nudge became due in the meantime
   * (C5.1).
   */
  nudged_at?: number | null
  nudge_due?: boolean
}

export type ClientPresence = Presence & {
  /** Fingerprint of the facts with which the authorizations were last evaluated, or a marker that an evaluation is in progress (P3.2). */
  tested: string
}

type PresenceOf = { gateways: Presence; clients: ClientPresence }

/** Presence after a check of the session's token. If the token was deleted or has expired, the session has ended (P1.7). */
export type CheckedPresence = Omit<Presence, 'token_id'> & {
  token_id: string | null
  /** Time at which the session's token was rotated (A22); null if it was not rotated. */
  rotated_at: string | null
}

export const presenceKey = (account: string, kind: DeviceKind, id: string): Key => presenceItemKey(account, kind, id)

/** Builds the presence item of a device. Omits nulls to keep the item small, because lists read many of these items. */
export const presenceItem = <K extends DeviceKind>(account: string, kind: K, id: string, presence: PresenceOf[K]) => {
  const attributes = Object.entries(presence).filter(([, value]) => value !== null)
  return { ...presenceKey(account, kind, id), kind: 'presence', ...Object.fromEntries(attributes) }
}

/** Reads the stored presence of a device, without checking the session's token. */
export const findPresence = <K extends DeviceKind>(account: string, kind: K, id: string) =>
  getItem<PresenceOf[K]>(presenceKey(account, kind, id))

export const findPresences = <K extends DeviceKind>(account: string, kind: K, ids: string[]) =>
  getItems<PresenceOf[K]>(ids.map((id) => presenceKey(account, kind, id)))

export type ShownPresence = LastSeen & Pick<Presence, 'lease_expires_at' | 'public_key'>

export const shownPresenceAttributes = [
  'lease_expires_at',
  'public_key',
  ...lastSeenNames,
] as const satisfies (keyof ShownPresence)[]

/**
 * Reads presences in the order of `ids`; null before a device's first session. A session whose token was deleted or has expired is returned
 * as ended.
 */
export async function readPresences(account: string, kind: DeviceKind, ids: string[]) {
  if (ids.length === 0) return []
  const presences: (Presence | undefined)[] = await findPresences(account, kind, ids)
  const tokenIds = [...new Set(presences.flatMap((item) => (item ? [item.token_id] : [])))]
  const states = await tokenStates(kind, account, tokenIds, clock.now())
  const tokens = new Map(tokenIds.map((id, index) => [id, states[index]]))
  return presences.map((item) => {
    if (!item) return null
    const token = tokens.get(item.token_id)
    if (!token || token.isEnded) return { ...item, token_id: null, lease_expires_at: 0, rotated_at: null }
    return { ...item, rotated_at: token.rotated_at }
  })
}

export const readPresence = async (account: string, kind: DeviceKind, id: string): Promise<CheckedPresence | null> =>
  (await readPresences(account, kind, [id]))[0] ?? null

/** True until the lease of the device's latest session expires (P1.4). */
export const isOnline = (presence: Pick<Presence, 'lease_expires_at'> | null, now: number): boolean =>
  presence !== null && presence.lease_expires_at > now

/** Test of the filter `not_seen_since`, which includes objects that were never seen (K11.G13). */
export const lastSeenTests: ScanTests<unknown, { last_seen_at?: string | null }> = {
  not_seen_since: ({ presence }, value) => (presence?.last_seen_at ?? '') < value,
}

/** Tests of the filters of devices that have no index (K11.G13), at the time `now`. */
export const deviceTests = (now: number): ScanTests<unknown, Pick<Presence, 'lease_expires_at' | 'last_seen_at'>> => ({
  ...lastSeenTests,
  online: ({ presence }, value) => String(isOnline(presence, now)) === value,
})

export const toLastSeen = (origin: Origin, version: string, now: number): LastSeen => ({
  last_seen_at: timestamp(now),
  last_seen_version: version,
  last_seen_user_agent: origin.user_agent,
  last_seen_remote_ip: origin.ip,
  last_seen_remote_ip_location_region: origin.ip_region,
  last_seen_remote_ip_location_city: origin.ip_city,
  last_seen_remote_ip_location_lat: origin.ip_lat,
  last_seen_remote_ip_location_lon: origin.ip_lon,
})

/** Presence fields that gateways (A21.1) and clients (A23.1) have in common. */
export const renderPresence = (presence: ShownPresence | null, now: number) => ({
  online: isOnline(presence, now),
  public_key: presence?.public_key ?? null,
  ...(recordOf(lastSeenNames, (name) => presence?.[name] ?? null) as Shown),
})

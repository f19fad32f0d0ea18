import * as v from 'valibot'
import { microsOf, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { Filled, Text } from '../../values/fields.ts'
import type { DeviceKind } from './presence.ts'

/** A session is a lease of this many heartbeats, or keepalives (P1.3, C3.1). */
const signsPerLease = 3

/** Seconds between signs of a connected client: the platform ends a connection after ten idle minutes. */
const clientKeepaliveSecs = 300

/** A dead gateway is known as soon as without a channel (C3.1). */
const keepaliveSecs = (device: DeviceKind): number => (device === 'gateways' ? env.heartbeatSecs : clientKeepaliveSecs)

/** End of a lease that begins or is renewed now, in microseconds, where a sign of life comes so often. */
export const leaseEnd = (now: number, seconds = env.heartbeatSecs): number => now + signsPerLease * seconds * 1_000_000

/** End of the lease of a session whose token expires: at the latest with the token (P1.7). */
export const leaseUnder = (token: { expires_at: string }, now: number, seconds?: number): number =>
  Math.min(leaseEnd(now, seconds), microsOf(token.expires_at))

/** End of a lease while the session is connected (C3.1); the token of a gateway has no end of its own. */
export function connectedLeaseEnd(device: DeviceKind, token: { expires_at?: string }, now: number): number {
  const { expires_at } = token
  const seconds = keepaliveSecs(device)
  return expires_at === undefined ? leaseEnd(now, seconds) : leaseUnder({ expires_at }, now, seconds)
}

/** SessionLease (P1.3) and channel (C1.2) in every answer about a session. */
export const SessionLease = v.object({
  heartbeat_secs: v.number(),
  expires_at: v.string(),
  live: v.nullable(v.object({ url: v.string(), keepalive_secs: v.number() })),
})

export const renderLease = (device: DeviceKind, leaseExpiresAt: number) => ({
  heartbeat_secs: env.heartbeatSecs,
  expires_at: timestamp(leaseExpiresAt),
  live: env.liveUrl === null ? null : { url: env.liveUrl, keepalive_secs: keepaliveSecs(device) },
})

const mustBeKey = 'must be 32 bytes in base64, 44 characters'

/** The base64 text of 32 bytes (P1.8). */
export const DevicePublicKey = v.pipe(
  Filled(mustBeKey),
  v.trim(),
  // Only the canonical spelling: a key is compared as text.
  v.regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, mustBeKey),
)

export const Version = Text(64)

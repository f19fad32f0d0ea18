import * as v from 'valibot'
import { microsOf, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { FilledText, Text } from '../../values/fields.ts'
import type { DeviceKind } from './presence.ts'

/** Length of a session's lease, in heartbeat or keepalive intervals (P1.3, C3.1). */
const signsPerLease = 3

/** Keepalive interval of a connected client in seconds, below API Gateway's idle timeout of ten minutes. */
const clientKeepaliveSecs = 300

/**
 * Keepalive interval in seconds (C3.1). Gateways use the heartbeat interval, so that a dead gateway is detected as quickly as without a
 * live channel.
 */
const keepaliveSecs = (device: DeviceKind): number => (device === 'gateways' ? env.heartbeatSecs : clientKeepaliveSecs)

/** Expiry in microseconds of a lease that starts or is renewed at `now`. `seconds` is the heartbeat or keepalive interval. */
export const leaseEnd = (now: number, seconds = env.heartbeatSecs): number => now + signsPerLease * seconds * 1_000_000

/** Expiry in microseconds of a lease whose token expires. The lease never outlasts the token (P1.7). */
export const leaseUnder = (token: { expires_at: string }, now: number, seconds?: number): number =>
  Math.min(leaseEnd(now, seconds), microsOf(token.expires_at))

/** Expiry in microseconds of a connected session's lease (C3.1). A missing `expires_at` means a gateway token, which does not expire. */
export function connectedLeaseEnd(device: DeviceKind, token: { expires_at?: string }, now: number): number {
  const { expires_at } = token
  const seconds = keepaliveSecs(device)
  return expires_at === undefined ? leaseEnd(now, seconds) : leaseUnder({ expires_at }, now, seconds)
}

/** Lease (P1.3) and live channel (C1.2) in every response about a session. */
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

/** Public key of a device: 32 bytes in base64 (P1.8). */
export const DevicePublicKey = v.pipe(
  FilledText(mustBeKey),
  v.trim(),
  // Accepts only the canonical encoding, because keys are compared as strings.
  v.regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, mustBeKey),
)

export const Version = Text(64)

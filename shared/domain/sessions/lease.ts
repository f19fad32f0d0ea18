import { microsOf, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'

/** A session is a lease of this many heartbeats (P1.3). */
const heartbeatsPerLease = 3

/** End of a lease that begins or is renewed now, in microseconds. */
export const leaseEnd = (now: number): number => now + heartbeatsPerLease * env.heartbeatSecs * 1_000_000

/** The same of a session that is started with a token that expires: it ends with it (P1.7). */
export const leaseUnder = (token: { expires_at: string }, now: number): number =>
  Math.min(leaseEnd(now), microsOf(token.expires_at))

/** The members of every answer about a session that tell of its lease. */
export const renderLease = (leaseExpiresAt: number) => ({
  heartbeat_secs: env.heartbeatSecs,
  expires_at: timestamp(leaseExpiresAt),
})

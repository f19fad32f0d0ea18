import { clock } from '../core/clock.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { logLine } from '../core/logging/log.ts'
import { findPresence, isOnline, type Presence, presenceKey } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { connectionOf } from './connection.ts'
import { sendMessage } from './send-message.ts'

/** Time in microseconds after which another nudge is sent, even if no heartbeat followed the last one (C5.1). */
const foldMicros = 1_000_000

/**
 * Notifies a connected gateway of changes (C5), at most once before its next heartbeat. Further changes set `more` in the heartbeat's
 * response (P4.4). Never throws.
 */
export async function nudgeGateway(account: string, gatewayId: string): Promise<void> {
  try {
    // Does not retry a failed nudge (C5.4). The loop sends a second nudge only if another change relied on the first one.
    for (let nudges = 0; nudges < 2; nudges++) {
      const presence = await findPresence(account, 'gateways', gatewayId)
      const connection = presence && connectionOf(account, 'gateways', gatewayId, presence)
      if (!presence || !connection || !isOnline(presence, clock.now())) return
      const claimTime = await claimNudge(account, gatewayId, presence)
      if (claimTime === null || (await sendMessage(connection, { type: 'authorizations' })) !== 'failed') return
      if (!(await releaseNudge(account, gatewayId, claimTime))) return
    }
  } catch (error) {
    logLine('WARN', 'device_not_notified', { account_id: account, device_id: gatewayId, ...describeError(error) })
  }
}

/**
 * Claims the next nudge and returns the time of the claim. Returns null if an earlier nudge covers this change. The next heartbeat then
 * returns `more`.
 */
async function claimNudge(account: string, gatewayId: string, presence: Presence): Promise<number | null> {
  for (let tries = 0; tries < 5; tries++) {
    const now = clock.now()
    const foldStart = now - foldMicros
    if (presence.nudge_due && (presence.nudged_at ?? 0) > foldStart) return null
    const write = (set: Record<string, unknown>, condition: string) =>
      changeItem(presenceKey(account, 'gateways', gatewayId), {
        set,
        when: `connection_id = :connection AND ${condition}`,
        values: { connection: presence.connection_id, folded: foldStart },
      })
    if (await write({ nudged_at: now }, '(attribute_not_exists(nudged_at) OR nudged_at <= :folded)')) return now
    if (await write({ nudge_due: true }, 'nudged_at > :folded')) return null
    // Tries again, because the gateway has sent a heartbeat or reconnected in between.
  }
  return null
}

/** Releases the claim of a failed nudge. Returns true if another change had relied on the nudge. */
async function releaseNudge(account: string, gatewayId: string, claimTime: number): Promise<boolean> {
  const before = await changeItem<Presence>(presenceKey(account, 'gateways', gatewayId), {
    remove: ['nudged_at', 'nudge_due'],
    when: 'nudged_at = :claimed',
    values: { claimed: claimTime },
  })
  return before?.nudge_due === true
}

import { setTimeout as sleep } from 'node:timers/promises'
import { env } from '../../core/env.ts'
import { nudgeGateway } from '../../live/nudge-gateway.ts'

/** How long the answer of a grant waits for its gateway to be told (C5.2). */
const longestWaitMs = 150

/** Tells the gateway of an authorization that was just made, beside its answer. Never throws. */
export async function tellOfGrant(account: string, gatewayId: string): Promise<void> {
  if (env.liveUrl === null) return
  const waiting = new AbortController()
  const told = nudgeGateway(account, gatewayId).finally(() => waiting.abort())
  await Promise.race([told, sleep(longestWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined)])
}

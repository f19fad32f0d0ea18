import { type Item, type Key, partition } from '../table/keys.ts'
import { getItem } from '../table/read.ts'

/** Leads from a site token and a session to the gateway: a session is known only to the token it was started with (P1.7). */
export const sessionKey = (account: string, tokenId: string, sessionId: string): Key => ({
  pk: partition(account, 'sessions.gateway_token', tokenId),
  sk: sessionId,
})

export const sessionPointer = (account: string, tokenId: string, sessionId: string, gatewayId: string): Item => ({
  ...sessionKey(account, tokenId, sessionId),
  kind: 'edge',
  gateway_id: gatewayId,
})

/** The gateway whose session this is or was, started with this site token. */
export async function gatewayOfSession(account: string, tokenId: string, sessionId: string): Promise<string | null> {
  const pointer = await getItem(sessionKey(account, tokenId, sessionId))
  return pointer ? String(pointer.gateway_id) : null
}

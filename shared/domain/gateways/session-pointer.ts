import { changeItem } from '../../table/change-item.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { leaseEnd } from '../sessions/lease.ts'

/** Key of the pointer from a site token and session id to the gateway. A session is found only with the token that started it (P1.7). */
export const gatewaySessionKey = (account: string, tokenId: string, sessionId: string): Key => ({
  pk: partition(account, 'sessions.gateway_token', tokenId),
  sk: sessionId,
})

export type Pointer = Key & { gateway_id: string; ttl: number }

const day = 86_400

/** Expiry of a pointer in epoch seconds: one day after the expiry of a lease that starts now. */
const pointerEnd = (now: number): number => Math.ceil(leaseEnd(now) / 1_000_000) + day

export const gatewaySessionPointer = (
  account: string,
  ids: { tokenId: string; sessionId: string; gatewayId: string },
  now: number,
): Item => ({
  ...gatewaySessionKey(account, ids.tokenId, ids.sessionId),
  kind: 'index',
  gateway_id: ids.gatewayId,
  ttl: pointerEnd(now),
})

/** Finds the pointer to the gateway of a session that this site token started. The session may have ended. */
export const findPointer = (account: string, tokenId: string, sessionId: string) =>
  getItem<Pointer>(gatewaySessionKey(account, tokenId, sessionId))

/** Extends the expiry of an active session's pointer, with at most one write every 12 hours. */
export async function keepPointer({ pk, sk, ttl }: Pointer, now: number): Promise<void> {
  const end = pointerEnd(now)
  if (ttl > end - day / 2) return
  // The condition avoids recreating a pointer that was deleted because its session was replaced.
  await changeItem({ pk, sk }, { set: { ttl: end }, when: 'attribute_exists(pk)' })
}

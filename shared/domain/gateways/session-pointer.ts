import { changeItem } from '../../table/change-item.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { leaseEnd } from '../sessions/lease.ts'

/** Leads from a site token and a session to the gateway: a session is known only to the token it was started with (P1.7). */
export const gatewaySessionKey = (account: string, tokenId: string, sessionId: string): Key => ({
  pk: partition(account, 'sessions.gateway_token', tokenId),
  sk: sessionId,
})

export type Pointer = Key & { gateway_id: string; ttl: number }

const day = 86_400

/** A pointer expires a day after the lease, unless a heartbeat renews it. */
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

/** The pointer to the gateway of a session that was started with this site token, live or ended. */
export const findPointer = (account: string, tokenId: string, sessionId: string) =>
  getItem<Pointer>(gatewaySessionKey(account, tokenId, sessionId))

/** Puts off the end of the pointer of a session that lives on: one write in half a day of heartbeats. */
export async function keepPointer({ pk, sk, ttl }: Pointer, now: number): Promise<void> {
  const end = pointerEnd(now)
  if (ttl > end - day / 2) return
  // A session that was replaced meanwhile has no pointer any more.
  await changeItem({ pk, sk }, { set: { ttl: end }, when: 'attribute_exists(pk)' })
}

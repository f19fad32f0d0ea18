import { env } from '../../core/env.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import type { attributionFields } from '../entries/log-entry.ts'

type AlwaysKnown =
  | 'initiator_device_id'
  | 'responder_device_id'
  | 'policy_authorization_id'
  | 'policy_id'
  | 'authorized_at'
  | 'authorization_expires_at'
  | 'initiator_actor_id'
  | 'initiator_actor_name'
  | 'resource_id'
  | 'resource_name'

export type Attribution = Record<keyof typeof attributionFields, string | null> & Record<AlwaysKnown, string>

export const attributionKey = (account: string, authorizationId: string): Key => ({
  pk: partition(account, 'attribution'),
  sk: authorizationId,
})

const lateReportDays = 30

/**
 * Builds the attribution of an authorization, which is joined to flows when they are read (L12). The item expires after the last possible
 * flow of the authorization.
 */
export function attributionItem(account: string, attribution: Attribution): Item & { ttl: number } {
  const expiry = Date.parse(attribution.authorization_expires_at) / 1000
  return {
    ...attributionKey(account, attribution.policy_authorization_id),
    kind: 'attribution',
    ttl: Math.ceil(expiry + (lateReportDays + env.flowRetentionDays) * 86_400),
    ...attribution,
  }
}

import { env } from '../../core/env.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'

/** The actor, device and resource of an authorization as they were when it was made (L12). */
export type Attribution = {
  initiator_device_id: string
  responder_device_id: string
  policy_authorization_id: string
  policy_id: string
  authorized_at: string
  authorization_expires_at: string
  initiator_auth_provider_id: string | null
  initiator_actor_id: string
  initiator_actor_name: string
  initiator_actor_email: string | null
  initiator_client_version: string | null
  initiator_device_os_name: string | null
  initiator_device_os_version: string | null
  initiator_device_serial: string | null
  initiator_device_uuid: string | null
  initiator_device_identifier_for_vendor: string | null
  initiator_device_push_installation_id: string | null
  resource_id: string
  resource_name: string
  resource_address: string | null
}

export const attributionKey = (account: string, authorizationId: string): Key => ({
  pk: partition(account, 'attribution'),
  sk: authorizationId,
})

const lateReportDays = 30

/** Stored once per authorization and joined when a flow is read; kept as long as a flow of it can be (L12). */
export function attributionItem(account: string, attribution: Attribution): Item & { ttl: number } {
  const expiry = Date.parse(attribution.authorization_expires_at) / 1000
  return {
    ...attributionKey(account, attribution.policy_authorization_id),
    kind: 'attribution',
    ttl: Math.ceil(expiry + (lateReportDays + env.flowRetentionDays) * 86_400),
    ...attribution,
  }
}

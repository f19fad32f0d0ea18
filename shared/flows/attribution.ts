import { parseTimestamp } from '../clock.ts'
import { retentionMicros } from '../logs/log-key.ts'
import { type Item, type Key, partition } from '../table/keys.ts'
import { lateReportMicros } from './ingest-token.ts'

/** Who and what a flow belongs to, as it stood when the authorization was made (L12). */
export type Attribution = {
  policy_authorization_id: string
  policy_id: string
  authorized_at: string
  authorization_expires_at: string
  initiator_device_id: string
  responder_device_id: string
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

export const attributionPartition = (account: string): string => partition(account, 'attribution')

export const attributionKey = (account: string, authorizationId: string): Key => ({
  pk: attributionPartition(account),
  sk: authorizationId,
})

/** The snapshot as it is stored with its authorization. It outlives it until the last flow that can name it is gone. */
export function attributionItem(account: string, attribution: Attribution): Item {
  const expiry = parseTimestamp(attribution.authorization_expires_at) ?? 0
  const ttl = Math.ceil((expiry + lateReportMicros + retentionMicros('flow')) / 1_000_000)
  return { ...attribution, ...attributionKey(account, attribution.policy_authorization_id), kind: 'attribution', ttl }
}

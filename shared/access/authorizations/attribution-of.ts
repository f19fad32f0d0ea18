import type { CallerOf } from '../../auth/caller.ts'
import type { ResourceRow } from '../../domain/resources/resource.ts'
import type { Attribution } from '../../logs/flows/attribution.ts'
import type { LiveClient } from '../client-sessions/client-presence.ts'
import type { Authorization } from './authorization.ts'

/** The names that flow logs show for an authorization, frozen as they are now, whatever is renamed later (L12). */
export const attributionOf = (
  authorization: Authorization,
  { actor, token }: CallerOf<'client'>,
  { client, presence }: LiveClient,
  resource: ResourceRow,
): Attribution => ({
  initiator_device_id: client.id,
  responder_device_id: authorization.gateway_id,
  policy_authorization_id: authorization.id,
  policy_id: authorization.policy_id,
  authorized_at: authorization.authorized_at,
  authorization_expires_at: authorization.expires_at,
  initiator_auth_provider_id: token.auth_provider_id,
  initiator_actor_id: actor.id,
  initiator_actor_name: actor.name,
  initiator_actor_email: actor.email,
  initiator_client_version: presence.last_seen_version,
  initiator_device_os_name: client.os_name,
  initiator_device_os_version: client.os_version,
  initiator_device_serial: client.device_serial,
  initiator_device_uuid: client.device_uuid,
  initiator_device_identifier_for_vendor: client.identifier_for_vendor,
  initiator_device_push_installation_id: client.push_installation_id,
  resource_id: resource.id,
  resource_name: resource.name,
  resource_address: resource.address,
})

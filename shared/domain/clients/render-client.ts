import type * as v from 'valibot'
import { renderPresence, type Seen } from '../presence/presence.ts'
import { type Client, type ClientRow, unattested } from './client.ts'

/** What of a row is shown of a client. */
export const shownOfRow = [
  'id',
  'actor_id',
  'name',
  'hostname',
  'ipv4',
  'ipv6',
  'svc_id',
  'device_serial',
  'device_uuid',
  'push_installation_id',
  'identifier_for_vendor',
  'verified_at',
  'inserted_at',
  'updated_at',
] as const satisfies (keyof ClientRow)[]

type ShownRow = Pick<ClientRow, (typeof shownOfRow)[number]>

/**
 * A client as the API shows it (A23.1): the row with its live fields, spelled out as a list writes a hundred of them. Its token need
 * not be looked at: a lease ends no later than its token expires, and a token that is deleted takes the leases of its sessions along.
 */
export function renderClient(client: ShownRow, presence: Seen | null, now: number): v.InferOutput<typeof Client> {
  const seen = renderPresence(presence, now)
  return {
    id: client.id,
    actor_id: client.actor_id,
    name: client.name,
    hostname: client.hostname,
    online: seen.online,
    ipv4: client.ipv4,
    ipv6: client.ipv6,
    svc_id: client.svc_id,
    device_serial: client.device_serial,
    device_uuid: client.device_uuid,
    push_installation_id: client.push_installation_id,
    identifier_for_vendor: client.identifier_for_vendor,
    last_attested_at: unattested.last_attested_at,
    last_attested_cert_fingerprint: unattested.last_attested_cert_fingerprint,
    last_attested_cert_serial: unattested.last_attested_cert_serial,
    last_attested_device_serial: unattested.last_attested_device_serial,
    last_attested_device_uuid: unattested.last_attested_device_uuid,
    last_attested_mdm_device_id: unattested.last_attested_mdm_device_id,
    verified_at: client.verified_at,
    public_key: seen.public_key,
    last_seen_at: seen.last_seen_at,
    last_seen_version: seen.last_seen_version,
    last_seen_user_agent: seen.last_seen_user_agent,
    last_seen_remote_ip: seen.last_seen_remote_ip,
    last_seen_remote_ip_location_region: seen.last_seen_remote_ip_location_region,
    last_seen_remote_ip_location_city: seen.last_seen_remote_ip_location_city,
    last_seen_remote_ip_location_lat: seen.last_seen_remote_ip_location_lat,
    last_seen_remote_ip_location_lon: seen.last_seen_remote_ip_location_lon,
    created_at: client.inserted_at,
    updated_at: client.updated_at,
  }
}

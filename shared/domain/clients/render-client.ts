import type * as v from 'valibot'
import { renderPresence, type Seen } from '../presence/presence.ts'
import { type Client, type ClientRow, unattested } from './client.ts'

/**
 * A client as the API shows it (A23.1): the row with its live fields. Its token need not be looked at: a lease ends no later
 * than its token expires, and a token that is deleted takes the leases of its sessions along.
 */
export const renderClient = (client: ClientRow, presence: Seen | null, now: number): v.InferOutput<typeof Client> => ({
  ...renderPresence(presence, now),
  id: client.id,
  actor_id: client.actor_id,
  name: client.name,
  hostname: client.hostname,
  ipv4: client.ipv4,
  ipv6: client.ipv6,
  svc_id: client.svc_id,
  device_serial: client.device_serial,
  device_uuid: client.device_uuid,
  push_installation_id: client.push_installation_id,
  identifier_for_vendor: client.identifier_for_vendor,
  ...unattested,
  verified_at: client.verified_at,
  created_at: client.inserted_at,
  updated_at: client.updated_at,
})

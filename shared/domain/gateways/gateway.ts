import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'

export type GatewayRow = Row & { site_id: string; name: string; ipv4: string; ipv6: string }

export const gateways = entity<GatewayRow>({
  name: 'gateways',
  edges: {
    site_id: { value: (row) => row.site_id, counted: true },
    name: { value: (row) => `${row.site_id}#${row.name}`, counted: true },
    ipv4: { value: (row) => `${row.site_id}#${row.ipv4}`, counted: true },
    ipv6: { value: (row) => `${row.site_id}#${row.ipv6}`, counted: true },
  },
  unique: { 'devices.tunnel_address': (row) => row.ipv4 },
})

/** The fields of a device that come from its presence (A21.1, A23.1). */
export const lastSeenFields = {
  last_seen_at: v.nullable(v.string()),
  last_seen_version: v.nullable(v.string()),
  last_seen_user_agent: v.nullable(v.string()),
  last_seen_remote_ip: v.nullable(v.string()),
  last_seen_remote_ip_location_region: v.nullable(v.string()),
  last_seen_remote_ip_location_city: v.nullable(v.string()),
  last_seen_remote_ip_location_lat: v.nullable(v.number()),
  last_seen_remote_ip_location_lon: v.nullable(v.number()),
}

/** A gateway as the API shows it (A21.1). */
export const Gateway = v.object({
  id: v.string(),
  name: v.string(),
  ipv4: v.string(),
  ipv6: v.string(),
  online: v.boolean(),
  public_key: v.nullable(v.string()),
  gateway_token_id: v.nullable(v.string()),
  rotated_at: v.nullable(v.string()),
  ...lastSeenFields,
})

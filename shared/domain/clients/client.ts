import * as v from 'valibot'
import { entity, itemRow, type Row } from '../../table/entity.ts'
import { Text } from '../../values/fields.ts'
import { lastSeenFields } from '../gateways/gateway.ts'

/** The device's description of itself, sent when it starts a session (P3.1). */
export type DeviceDescription = {
  hostname: string | null
  device_serial: string | null
  device_uuid: string | null
  identifier_for_vendor: string | null
  push_installation_id: string | null
  os_name: string | null
  os_version: string | null
}

/** What a device has said that has said nothing. */
export const undescribed: DeviceDescription = {
  hostname: null,
  device_serial: null,
  device_uuid: null,
  identifier_for_vendor: null,
  push_installation_id: null,
  os_name: null,
  os_version: null,
}

export type ClientRow = Row &
  DeviceDescription & {
    actor_id: string
    name: string
    ipv4: string
    ipv6: string
    /** Identifies the installation; unique per actor. */
    svc_id: string
    verified_at: string | null
  }

/** The value of the unique set `clients.installation`. */
export const installation = (actorId: string, svcId: string): string => `${actorId}#${svcId}`

export const clients = entity<ClientRow>({
  name: 'clients',
  defaults: { ...undescribed, verified_at: null },
  unique: {
    'clients.installation': (row) => installation(row.actor_id, row.svc_id),
    'devices.tunnel_address': (row) => row.ipv4,
  },
  recorded: (row) => namedClient(row),
  edges: {
    actor_id: { value: (row) => row.actor_id, counted: true },
    name: { value: (row) => row.name, counted: true },
    svc_id: { value: (row) => row.svc_id, counted: true },
  },
})

/** Nothing in this service attests devices. */
export const unattested = {
  last_attested_at: null,
  last_attested_cert_fingerprint: null,
  last_attested_cert_serial: null,
  last_attested_device_serial: null,
  last_attested_device_uuid: null,
  last_attested_mdm_device_id: null,
}

/** The stored part of a client as the API names it. */
const namedClient = ({ inserted_at, ...row }: ClientRow) => ({
  ...row,
  ...unattested,
  created_at: inserted_at,
})

/** The row of a client that a record of a change names. */
export function clientOfRecord(recorded: Record<string, unknown>): ClientRow {
  const { created_at: inserted_at, ...named } = recorded
  const row = Object.fromEntries(Object.entries(named).filter(([field]) => !(field in unattested)))
  return itemRow(clients, { ...row, inserted_at })
}

const text = v.nullable(v.string())

/** A client as the API shows it (A23.1). */
export const Client = v.object({
  id: v.string(),
  actor_id: v.string(),
  name: v.string(),
  hostname: text,
  online: v.boolean(),
  ipv4: v.string(),
  ipv6: v.string(),
  svc_id: text,
  device_serial: text,
  device_uuid: text,
  push_installation_id: text,
  identifier_for_vendor: text,
  last_attested_at: text,
  last_attested_cert_fingerprint: text,
  last_attested_cert_serial: text,
  last_attested_device_serial: text,
  last_attested_device_uuid: text,
  last_attested_mdm_device_id: text,
  verified_at: text,
  public_key: text,
  ...lastSeenFields,
  created_at: v.string(),
  updated_at: v.string(),
})

/** The fields that a request can set; required on update, too (A23.2). */
export const ClientFields = v.object({ name: Text(255) })

import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'
import { described } from '../../values/field.ts'
import { booleanCast, CommaListCast, IntegerCast, TextCast, TrimmedCast, UuidCast } from '../values/casts.ts'

/** What a device takes from the configuration while its flag says so (`/v0` contract, 10.2). */
export type OwnValues = {
  allowed_ips: string | null
  dns: string | null
  endpoint: string | null
  mtu: number | null
  persistent_keepalive: number | null
}

export const ownValueNames = ['allowed_ips', 'dns', 'endpoint', 'mtu', 'persistent_keepalive'] as const
export type OwnValueName = (typeof ownValueNames)[number]
export type Flags = { [N in OwnValueName as `use_default_${N}`]: boolean }

/** A device of the legacy API (10.1); the row holds its own values and its key sealed, answers show effective values and the key. */
export type V0DeviceRow = Row &
  OwnValues &
  Flags & {
    user_id: string
    name: string
    description: string | null
    public_key: string
    preshared_key: string
    server_public_key: string
    ipv4: string
    ipv6: string
    latest_handshake: string | null
    remote_ip: string | null
    rx_bytes: number | null
    tx_bytes: number | null
  }

export const deviceNameValue = (userId: string, name: string): string => `${userId}/${name}`

export const v0Devices = entity<V0DeviceRow>({
  name: 'v0_devices',
  defaults: {
    description: null,
    allowed_ips: null,
    dns: null,
    endpoint: null,
    mtu: null,
    persistent_keepalive: null,
    latest_handshake: null,
    remote_ip: null,
    rx_bytes: null,
    tx_bytes: null,
  },
  unique: {
    'v0_devices.name': (row) => deviceNameValue(row.user_id, row.name),
    'v0_devices.public_key': (row) => row.public_key,
    'v0_devices.ipv4': (row) => row.ipv4,
    'v0_devices.ipv6': (row) => row.ipv6,
  },
  edges: { user_id: { value: (row) => row.user_id } },
  redact: ['preshared_key'],
})

const userText = 'Id of the user the device belongs to; it never changes.'

export const V0Device = v.object({
  id: v.string(),
  user_id: v.pipe(v.string(), v.description(userText)),
  name: v.string(),
  description: v.nullable(v.string()),
  public_key: v.string(),
  preshared_key: v.string(),
  server_public_key: v.string(),
  ipv4: v.string(),
  ipv6: v.string(),
  allowed_ips: v.nullable(v.string()),
  dns: v.nullable(v.string()),
  endpoint: v.nullable(v.string()),
  mtu: v.nullable(v.number()),
  persistent_keepalive: v.nullable(v.number()),
  use_default_allowed_ips: v.boolean(),
  use_default_dns: v.boolean(),
  use_default_endpoint: v.boolean(),
  use_default_mtu: v.boolean(),
  use_default_persistent_keepalive: v.boolean(),
  latest_handshake: v.nullable(v.string()),
  remote_ip: v.nullable(v.string()),
  rx_bytes: v.nullable(v.number()),
  tx_bytes: v.nullable(v.number()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

const flag = v.optional(booleanCast(true))

/** What an update takes. A device never moves to another user. */
export const V0DeviceChanges = v.object({
  name: v.optional(TrimmedCast),
  description: v.optional(TrimmedCast),
  public_key: v.optional(TextCast),
  preshared_key: v.optional(TextCast),
  ipv4: v.optional(TextCast),
  ipv6: v.optional(TextCast),
  allowed_ips: v.optional(CommaListCast),
  dns: v.optional(CommaListCast),
  endpoint: v.optional(TrimmedCast),
  mtu: v.optional(IntegerCast),
  persistent_keepalive: v.optional(IntegerCast),
  use_default_allowed_ips: flag,
  use_default_dns: flag,
  use_default_endpoint: flag,
  use_default_mtu: flag,
  use_default_persistent_keepalive: flag,
})

export const V0DeviceFields = v.object({
  user_id: v.optional(described(UuidCast, userText)),
  ...V0DeviceChanges.entries,
})

export type V0DeviceInput = v.InferOutput<typeof V0DeviceFields>

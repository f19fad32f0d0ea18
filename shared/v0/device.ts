import * as v from 'valibot'
import { recordOf } from '../core/json/record-of.ts'
import { entity, type Row } from '../table/entity.ts'
import { documented, withRules } from '../values/field.ts'
import { textPattern } from '../values/text.ts'
import { booleanCast, CommaListCast, FilledUuidCast, IntegerCast, TextCast, TrimmedCast } from './casts.ts'
import { keyPattern } from './grammars.ts'
import { ShownListOrNull } from './shown-list.ts'

export const ownValueNames = ['allowed_ips', 'dns', 'endpoint', 'mtu', 'persistent_keepalive'] as const
export type OwnValueName = (typeof ownValueNames)[number]
const flagNames = ownValueNames.map((name) => `use_default_${name}` as const)

/** Device of the legacy API (`/v0` contract, 10.1). The row stores the device's own values; responses contain the effective values. */
export type V0DeviceRow = Row &
  Omit<v.InferOutput<typeof V0Device>, keyof Row | 'allowed_ips' | 'dns'> & {
    allowed_ips: string | null
    dns: string | null
  }

/** Values that come from the configuration while their `use_default_` flags are set (`/v0` contract, 10.2). */
export type OwnValues = Pick<V0DeviceRow, OwnValueName>
export type Flags = Pick<V0DeviceRow, `use_default_${OwnValueName}`>

export const deviceNameValue = (userId: string, name: string): string => `${userId}/${name}`

const unset = recordOf(
  ['description', ...ownValueNames, 'latest_handshake', 'remote_ip', 'rx_bytes', 'tx_bytes'],
  () => null,
)

/** Default values of the fields that a request to create a device may omit. */
export const undescribedDevice = { ...unset, ...recordOf(flagNames, () => true) }

export const v0Devices = entity<V0DeviceRow>({
  name: 'v0_devices',
  defaults: unset,
  unique: {
    'v0_devices.name': (row) => deviceNameValue(row.user_id, row.name),
    'v0_devices.public_key': (row) => row.public_key,
    'v0_devices.ipv4': (row) => row.ipv4,
    'v0_devices.ipv6': (row) => row.ipv6,
  },
  indexes: { user_id: { value: (row) => row.user_id } },
  redact: ['preshared_key'],
})

const userText = 'Id of the user to whom the device belongs. It never changes.'

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
  allowed_ips: ShownListOrNull,
  dns: ShownListOrNull,
  endpoint: v.nullable(v.string()),
  mtu: v.nullable(v.number()),
  persistent_keepalive: v.nullable(v.number()),
  ...recordOf(flagNames, () => v.boolean()),
  latest_handshake: v.nullable(v.string()),
  remote_ip: v.nullable(v.string()),
  rx_bytes: v.nullable(v.number()),
  tx_bytes: v.nullable(v.number()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

const flag = v.optional(booleanCast(true))
const integer = (minimum: number, maximum: number) => v.optional(documented(IntegerCast, { minimum, maximum }))

/** Fields that have the same schema in create and update requests. */
const ownFields = {
  description: v.optional(documented(TrimmedCast, { maxLength: 2048 })),
  public_key: v.optional(documented(TextCast, { type: 'string', pattern: `^${keyPattern}$` })),
  allowed_ips: v.optional(CommaListCast),
  dns: v.optional(CommaListCast),
  endpoint: v.optional(documented(TrimmedCast, { maxLength: 255 })),
  mtu: integer(576, 1500),
  persistent_keepalive: integer(0, 120),
  ...recordOf(flagNames, () => flag),
}

/** Fields of an update. Generated values can be changed but not cleared, and a device never moves to another user. */
export const V0DeviceChanges = v.object({
  name: v.optional(
    documented(TrimmedCast, { type: 'string', minLength: 1, maxLength: 255, pattern: textPattern.filled }),
  ),
  preshared_key: v.optional(documented(TextCast, { type: 'string', pattern: `^${keyPattern}$` })),
  ipv4: v.optional(documented(TextCast, { type: 'string', format: 'ipv4' })),
  ipv6: v.optional(documented(TextCast, { type: 'string', format: 'ipv6' })),
  ...ownFields,
})

export const V0DeviceFields = withRules(
  {
    user_id: v.optional(documented(FilledUuidCast, { description: userText })),
    name: v.optional(documented(TrimmedCast, { maxLength: 255, pattern: textPattern.emptyOrFilled })),
    preshared_key: v.optional(documented(TextCast, { pattern: `^(${keyPattern})?$` })),
    ipv4: v.optional(documented(TextCast, { anyOf: [{ format: 'ipv4' }, { const: '' }] })),
    ipv6: v.optional(documented(TextCast, { anyOf: [{ format: 'ipv6' }, { const: '' }] })),
    ...ownFields,
  },
  {
    required: ['user_id', 'public_key'],
    anyOf: [
      { properties: { use_default_endpoint: { enum: [true, 'true', '1', ''] } } },
      {
        required: ['endpoint'],
        properties: {
          use_default_endpoint: { enum: [false, 'false', '0'] },
          endpoint: { type: 'string', minLength: 1, pattern: textPattern.filled },
        },
      },
    ],
  },
)

export type V0DeviceInput = v.InferOutput<typeof V0DeviceFields>

import type { V0Lists } from '../../domain/accounts/account.ts'
import type { Draft } from '../../values/draft.ts'
import { formatIp, parseIp } from '../../values/ip.ts'
import { endpointMessages, keyMessages, networkListMessages, serverListMessages } from '../values/grammars.ts'
import { blank, isBlank, type Messages, outOfBounds, tooLong } from '../values/messages.ts'
import { respell } from '../values/shown-list.ts'
import { serverAddress } from './allocate-address.ts'
import {
  type Flags,
  type OwnValueName,
  type OwnValues,
  ownValueNames,
  type V0DeviceInput,
  type V0DeviceRow,
} from './device.ts'
import type { Defaults } from './show-device.ts'

type Input = Omit<V0DeviceInput, 'user_id'>

/** What a device is changed with; what is missing stays, or is generated. */
export type V0DeviceChange = Partial<
  OwnValues & Flags & Pick<V0DeviceRow, 'name' | 'description' | 'public_key' | 'preshared_key' | 'ipv4' | 'ipv6'>
>

/** The rules of each field's own value (`/v0` contract, 10.3). */
const rules = {
  name: (text: string): Messages => (text === '' ? ['should be at least 1 character(s)'] : tooLong(text, 255)),
  description: (text: string): Messages => tooLong(text, 2048),
  public_key: (text: string): Messages => (isBlank(text) ? [blank] : keyMessages(text)),
  preshared_key: keyMessages,
  allowed_ips: (list: string): Messages => networkListMessages(list, { repeats: true }),
  dns: serverListMessages,
  endpoint: endpointMessages,
  mtu: (value: number): Messages => outOfBounds(value, 576, 1500),
  persistent_keepalive: (value: number): Messages => outOfBounds(value, 0, 120),
  ipv4: (text: string): Messages => addressMessages('ipv4', text),
  ipv6: (text: string): Messages => addressMessages('ipv6', text),
}

function addressMessages(family: 'ipv4' | 'ipv6', text: string): Messages {
  const ip = parseIp(text)
  if (ip?.family !== (family === 'ipv4' ? 4 : 6)) return ['is invalid']
  return formatIp(ip) === serverAddress(family) ? ['is reserved'] : []
}

/** Addresses are compared and stored in canonical form. */
const canonical = (text: string | null | undefined): string | null | undefined => {
  const ip = typeof text === 'string' ? parseIp(text) : null
  return ip ? formatIp(ip) : text
}

/** Null where it is cleared or left to be generated, undefined where it stays. */
type Fields = Partial<Record<'name' | 'public_key' | 'preshared_key' | 'ipv4' | 'ipv6' | 'description', string | null>>

/** Checks the fields that a device has for itself; `required` are those that cannot be cleared. */
function checkOwnFields(draft: Draft<Input>, device: V0DeviceRow | null, required: (keyof Fields)[]): Fields {
  const { name, public_key, preshared_key, ipv4, ipv6, description } = draft.fields
  const fields: Fields = {
    name,
    public_key,
    preshared_key,
    ipv4: canonical(ipv4),
    ipv6: canonical(ipv6),
    description: description === '' ? null : description,
  }
  for (const [field, value] of Object.entries(fields) as [keyof Fields, string | null | undefined][]) {
    if (value === undefined || value === device?.[field]) continue
    if (value !== null) draft.reject(field, ...rules[field](value))
    else if (required.includes(field)) draft.reject(field, blank)
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const isSame = (a: string | number | null | undefined, b: string | number | null): boolean =>
  (a || null) === (b || null)

/** Settles one of the five values with its flag (10.3, presence rule), and checks it. */
function settle(
  draft: Draft<Input>,
  name: OwnValueName,
  device: V0DeviceRow | null,
  fallback: string | number,
  lists: V0Lists,
): { value?: string | number | null; flag?: boolean } {
  const flagName = `use_default_${name}` as const
  const flag = draft.fields[flagName]
  const usesDefault = device?.[flagName] ?? true
  const own = device?.[name]
  const sent = respell(draft.fields[name], lists, ...((flag ?? usesDefault) ? [fallback, own] : [own, fallback]))
  const value = name === 'endpoint' && sent === '' ? null : sent
  if (value === undefined) return { flag }
  // What is in effect can be sent back: zero is no empty value.
  const isEffective = value === fallback || (value !== 0 && isSame(value, fallback))
  const ignored = isEffective && (flag ?? (device !== null && usesDefault))
  if (ignored) return { flag }
  const messages: Messages = flag === true && value !== null ? ['must not be present'] : []
  if (value !== null && value !== own) messages.push(...(rules[name] as (value: unknown) => Messages)(value))
  draft.reject(name, ...messages)
  return { value, flag: flag ?? (value === null ? undefined : false) }
}

function checkValues(
  draft: Draft<Input>,
  device: V0DeviceRow | null,
  defaults: Defaults,
  lists: V0Lists,
): Partial<OwnValues & Flags> {
  const changes: Record<string, unknown> = {}
  for (const name of ownValueNames) {
    const { value, flag } = settle(draft, name, device, defaults[`default_client_${name}`], lists)
    if (value !== undefined) changes[name] = value
    if (flag !== undefined) changes[`use_default_${name}`] = flag
  }
  const { endpoint = device?.endpoint ?? null, use_default_endpoint = device?.use_default_endpoint ?? true } =
    changes as Partial<V0DeviceRow>
  if (!use_default_endpoint && endpoint === null && !draft.has('endpoint')) draft.reject('endpoint', blank)
  return changes
}

/** The field checks of a new device. @throws ApiError `validation_failed` */
export function checkNewDevice(draft: Draft<V0DeviceInput>, defaults: Defaults, lists: V0Lists) {
  const { user_id = null } = draft.fields
  if (user_id === null && !draft.has('user_id')) draft.reject('user_id', blank)
  const { public_key = null, ...fields } = checkOwnFields(draft, null, ['public_key'])
  if (public_key === null && !draft.has('public_key')) draft.reject('public_key', blank)
  const values = checkValues(draft, null, defaults, lists)
  draft.done()
  return { ...fields, ...values, user_id: user_id as string, public_key: public_key as string }
}

/** The field checks of a changed device. @throws ApiError `validation_failed` */
export function checkDeviceChange(
  draft: Draft<Input>,
  device: V0DeviceRow,
  defaults: Defaults,
  lists: V0Lists,
): V0DeviceChange {
  const fields = checkOwnFields(draft, device, ['name', 'public_key', 'preshared_key', 'ipv4', 'ipv6'])
  const values = checkValues(draft, device, defaults, lists)
  draft.done()
  return { ...fields, ...values } as V0DeviceChange
}

import { invalid } from '../core/errors.ts'
import type { V0Lists } from '../domain/accounts/account.ts'
import type { Draft } from '../values/draft.ts'
import { canonicalIp, formatIp, parseIp } from '../values/ip.ts'
import { serverAddress } from './allocate-address.ts'
import {
  type Flags,
  type OwnValueName,
  type OwnValues,
  ownValueNames,
  type V0DeviceInput,
  type V0DeviceRow,
} from './device.ts'
import { endpointMessages, keyMessages, networkListMessages, serverListMessages } from './grammars.ts'
import { blank, isBlank, type Messages, outOfBounds, tooLong } from './messages.ts'
import type { Defaults } from './read-devices.ts'
import { respell } from './shown-list.ts'

type Input = Omit<V0DeviceInput, 'user_id'>

/** Checked fields of an update. Missing fields stay unchanged. */
type V0DeviceChange = Partial<
  OwnValues & Flags & Pick<V0DeviceRow, 'name' | 'description' | 'public_key' | 'preshared_key' | 'ipv4' | 'ipv6'>
>

/** Validation rules for individual fields (`/v0` contract, 10.3). */
const rules = {
  name: (text: string): Messages => (text === '' ? ['should be at least 1 character(s)'] : tooLong(text, 255)),
  description: (text: string): Messages => tooLong(text, 2048),
  public_key: (text: string): Messages => (isBlank(text) ? [blank] : keyMessages(text)),
  preshared_key: keyMessages,
  ipv4: (text: string): Messages => addressMessages('ipv4', text),
  ipv6: (text: string): Messages => addressMessages('ipv6', text),
}

/** Validation rules for the values with which a device overrides the configuration. */
const valueRules: { [N in OwnValueName]: (value: NonNullable<OwnValues[N]>) => Messages } = {
  allowed_ips: (list) => networkListMessages(list, { repeats: true }),
  dns: serverListMessages,
  endpoint: endpointMessages,
  mtu: (value) => outOfBounds(value, 576, 1500),
  persistent_keepalive: (value) => outOfBounds(value, 0, 120),
}

function addressMessages(family: 'ipv4' | 'ipv6', text: string): Messages {
  const ip = parseIp(text)
  if (ip?.family !== (family === 'ipv4' ? 4 : 6)) return ['is invalid']
  return formatIp(ip) === serverAddress(family) ? ['is reserved'] : []
}

const fieldNames = ['name', 'public_key', 'preshared_key', 'ipv4', 'ipv6', 'description'] as const

/** Field values. Null clears the value or generates a new one; undefined keeps it. */
type Fields = Partial<Record<(typeof fieldNames)[number], string | null>>

/** Converts a value to its stored form: an address to its canonical form, and an empty description to null. */
function toStoredValue(field: keyof Fields, sent: string | null | undefined): string | null | undefined {
  if (field === 'description') return sent === '' ? null : sent
  return sent && (field === 'ipv4' || field === 'ipv6') ? (canonicalIp(sent) ?? sent) : sent
}

/** Checks the fields that have no default in the configuration. Fields in `required` cannot be cleared. */
function checkOwnFields(draft: Draft<Input>, device: V0DeviceRow | null, required: (keyof Fields)[]): Fields {
  const fields: Fields = {}
  for (const field of fieldNames) {
    const value = toStoredValue(field, draft.fields[field])
    if (value === undefined) continue
    fields[field] = value
    if (value === device?.[field]) continue
    if (value !== null) draft.reject(field, ...rules[field](value))
    else if (required.includes(field)) draft.reject(field, blank)
  }
  return fields
}

const isSame = (a: string | number | null | undefined, b: string | number | null): boolean =>
  (a || null) === (b || null)

/** Determines and checks one of the five values with a `use_default_` flag, according to the presence rule (`/v0` contract, 10.3). */
function settleValue<N extends OwnValueName>(
  draft: Draft<Input>,
  name: N,
  device: V0DeviceRow | null,
  fallback: string | number,
  lists: V0Lists,
): { value?: OwnValues[N] | null; flag?: boolean } {
  const flagName = `use_default_${name}` as const
  const flag: boolean | undefined = draft.fields[flagName]
  const usedDefault = device?.[flagName] ?? true
  const fields: Partial<OwnValues> = draft.fields
  const ownValue = device?.[name]
  const spellings = (flag ?? usedDefault) ? [fallback, ownValue] : [ownValue, fallback]
  // The cast is safe, because all spellings are values of this field.
  const sent = respell<unknown>(fields[name], lists, ...spellings) as OwnValues[N] | undefined
  const value = name === 'endpoint' && sent === '' ? null : sent
  if (value === undefined) return { flag }
  // Ignores a default that the caller copied from a response. Zero does not count as an empty value.
  const isEffective = value === fallback || (value !== 0 && isSame(value, fallback))
  const isIgnored = isEffective && (flag ?? (device !== null && usedDefault))
  if (isIgnored) return { flag }
  if (flag === true && value !== null) draft.reject(name, 'must not be present')
  if (value !== null && value !== ownValue) draft.reject(name, ...valueRules[name](value))
  return { value, flag: flag ?? (value === null ? undefined : false) }
}

function checkValues(draft: Draft<Input>, device: V0DeviceRow | null, defaults: Defaults, lists: V0Lists) {
  const changes: Partial<OwnValues & Flags> = {}
  for (const name of ownValueNames) {
    const { value, flag } = settleValue(draft, name, device, defaults[`default_client_${name}`], lists)
    if (value !== undefined) Object.assign(changes, { [name]: value })
    if (flag !== undefined) changes[`use_default_${name}`] = flag
  }
  const { endpoint = device?.endpoint ?? null, use_default_endpoint = device?.use_default_endpoint ?? true } = changes
  if (!use_default_endpoint && endpoint === null && !draft.has('endpoint')) draft.reject('endpoint', blank)
  return changes
}

export function checkNewDevice(draft: Draft<V0DeviceInput>, defaults: Defaults, lists: V0Lists) {
  const { user_id = null } = draft.fields
  if (user_id === null && !draft.has('user_id')) draft.reject('user_id', blank)
  const { public_key = null, ...fields } = checkOwnFields(draft, null, ['public_key'])
  if (public_key === null && !draft.has('public_key')) draft.reject('public_key', blank)
  const values = checkValues(draft, null, defaults, lists)
  if (user_id === null || public_key === null) throw invalid(draft.faults)
  draft.done()
  return { ...fields, ...values, user_id, public_key }
}

export function checkDeviceChange(draft: Draft<Input>, device: V0DeviceRow, defaults: Defaults, lists: V0Lists) {
  const fields = checkOwnFields(draft, device, ['name', 'public_key', 'preshared_key', 'ipv4', 'ipv6'])
  const values = checkValues(draft, device, defaults, lists)
  draft.done()
  return { ...fields, ...values } as V0DeviceChange
}

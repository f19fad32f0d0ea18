import { isDeepStrictEqual } from 'node:util'
import { isUuid, uuidV5 } from '../../core/ids.ts'
import { isObject } from '../../core/json/is-object.ts'
import { deviceFields, type MdmDeviceRow } from '../../domain/mdm-devices/mdm-device.ts'
import type { DeviceValue } from '../adapter.ts'

/** Fields of a device in stored form (A28.2). A missing field means null. */
export type StoredFields = Record<string, DeviceValue>

const maxText = 1_024
const maxEntries = 100
/** Bounds of the absolute value of numbers that DynamoDB stores exactly. */
const largest = Number.MAX_SAFE_INTEGER
const smallest = 1e-100

/** Truncates a string to the maximum stored length without splitting a character. */
const truncate = (text: string): string => {
  const short = text.slice(0, 2 * maxText).toWellFormed()
  return short.length <= maxText ? short : [...short].slice(0, maxText).join('')
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= largest && (value === 0 || Math.abs(value) >= smallest)

const toPlainEntry = (entry: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry)
      .filter(([, value]) => value === null || typeof value === 'string' || typeof value === 'boolean')
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, typeof value === 'string' ? truncate(value) : value]),
  )

function toStoredList(name: string, value: DeviceValue | undefined): DeviceValue {
  if (!Array.isArray(value)) return null
  const some: unknown[] = value.slice(0, maxEntries)
  if (name === 'tags') return some.filter((tag) => typeof tag === 'string').map(truncate)
  return some.filter(isObject).map(toPlainEntry)
}

function toStoredValue(kind: string, value: DeviceValue | undefined): DeviceValue {
  if (kind === 'boolean') return typeof value === 'boolean' ? value : null
  if (kind === 'number') return isNumber(value) ? value : null
  return typeof value === 'string' ? truncate(value) : null
}

/** Converts a device to its stored fields (I7.3), without nulls and in a fixed order, so that equal devices have equal JSON. */
export function toStoredFields(values: Record<string, DeviceValue | undefined>): StoredFields {
  const fields: StoredFields = {}
  const add = (name: string, value: DeviceValue) => {
    if (value !== null) fields[name] = value
  }
  for (const [name, kind] of deviceFields) add(name, toStoredValue(kind, values[name]))
  for (const name of ['tags', 'device_action_results']) add(name, toStoredList(name, values[name]))
  return fields
}

export const fieldsOfRow = (row: MdmDeviceRow): StoredFields => toStoredFields(row as Record<string, DeviceValue>)

export function differences(from: StoredFields, to: StoredFields): { before: StoredFields; after: StoredFields } {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => !isDeepStrictEqual(from[name], to[name]),
  )
  const some = (fields: StoredFields) => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
  return { before: some(from), after: some(to) }
}

/** Converts a vendor's device id to lower case, because these ids are compared ignoring case (I7.3). */
export const deviceKey = (mdmId: string): string => mdmId.toLowerCase()

/** Returns the id of a device: the vendor's id if it is a UUID, otherwise a UUID derived from it (A28.2). */
export const deviceId = (postureProviderId: string, mdmId: string): string =>
  isUuid(mdmId) ? mdmId.toLowerCase() : uuidV5(postureProviderId, mdmId)

export const deviceName = (fields: StoredFields, mdmId: string): string =>
  String(fields.device_name ?? fields.managed_device_name ?? mdmId)

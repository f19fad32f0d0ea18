import { toUtc } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { deviceFields } from '../../domain/mdm-devices/mdm-device.ts'
import type { DeviceValue } from '../adapter.ts'
import type { ResponseFields } from './call.ts'

/** Path of each device field in a provider's entry: a name, or a pair of an outer and an inner name. Fields with lists have no path. */
export type FieldPaths = Readonly<Record<string, string | readonly [string, string]>>

const yes = new Set(['true', 'yes', 'on', '1', 'enabled'])
const no = new Set(['false', 'no', 'off', '0', 'disabled'])

function parseBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : ''
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}

function parseNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

function parseText(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

/** Matches the first day of year 1, which the provider sends for a missing time. */
const noTime = /^0001-01-01T/

function parseDeviceTime(value: unknown): string | null {
  if (typeof value !== 'string' || noTime.test(value)) return null
  const text = value.trim().replace(' ', 'T')
  // Reads a time without a zone as UTC.
  return toUtc(text) ?? toUtc(`${text}Z`)
}

const readers = { text: parseText, boolean: parseBoolean, number: parseNumber, timestamp: parseDeviceTime }

const readPath = (entry: ResponseFields, path: string | readonly [string, string]): unknown =>
  typeof path === 'string' ? entry[path] : fieldsOf(entry[path[0]])[path[1]]

/** Reads the fields of a device and converts them to their types. A value that cannot be converted becomes null. */
export function readFields(entry: ResponseFields, paths: FieldPaths): Record<string, DeviceValue> {
  const fields: Record<string, DeviceValue> = {}
  for (const [field, path] of Object.entries(paths)) {
    const kind = deviceFields.get(field)
    if (kind) fields[field] = readers[kind](readPath(entry, path))
  }
  return fields
}

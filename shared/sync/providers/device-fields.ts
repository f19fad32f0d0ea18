import { toUtc } from '../../core/clock.ts'
import { deviceFields } from '../../domain/mdm-devices/mdm-device.ts'
import type { DeviceValue } from '../inventory-adapter.ts'
import type { Fields } from './rows-of.ts'

/** Where a field of a device is in an entry: a name, or names from the outside in. Lists are read apart. */
export type FieldPaths = Readonly<Record<string, string | readonly [string, string]>>

const yes = new Set(['true', 'yes', 'on', '1', 'enabled'])
const no = new Set(['false', 'no', 'off', '0', 'disabled'])

function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : ''
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

/** Inventories write the first day of their calendar where there is no time; the last one is a real `never`. */
const noTime = /^0001-01-01T/

function timestampOf(value: unknown): string | null {
  if (typeof value !== 'string' || noTime.test(value)) return null
  const text = value.trim().replace(' ', 'T')
  // Some leave the zone out; they mean UTC.
  return toUtc(text) ?? toUtc(`${text}Z`)
}

const readers = { text: textOf, boolean: booleanOf, number: numberOf, timestamp: timestampOf }

function at(entry: Fields, path: string | readonly [string, string]): unknown {
  if (typeof path === 'string') return entry[path]
  const outer = entry[path[0]]
  return typeof outer === 'object' && outer !== null ? (outer as Fields)[path[1]] : undefined
}

/** The fields of a device that an entry has, each in its own kind; null where the entry has none, or nothing of the kind. */
export function readFields(entry: Fields, paths: FieldPaths): Record<string, DeviceValue> {
  const fields: Record<string, DeviceValue> = {}
  for (const [field, path] of Object.entries(paths)) {
    const kind = deviceFields.get(field)
    if (kind) fields[field] = readers[kind](at(entry, path))
  }
  return fields
}

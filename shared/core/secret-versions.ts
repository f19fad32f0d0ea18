import { parseTimestamp, timestamp } from './clock.ts'
import { isObject } from './is-object.ts'

/** One version of the service secret. */
export type SecretVersion = {
  name: string
  /** The instant from which on it is written with, in microseconds; 0 for what was always there. */
  from: number
  /** Null when it is retired: then only `keys` are left of it. */
  secret: string | null
  /** Of a retired version: the derived keys that what it has made needs for ever, by purpose. They lead back to no other key. */
  keys: Record<string, Buffer>
  /** Nothing that comes from outside is accepted by it; what is stored is read, so that it can be sealed again. */
  compromised: boolean
}

/** The version that a value without the name of one was made with: there were no versions then. */
export const firstVersion = '1'

const namePattern = /^[A-Za-z0-9-]{1,32}$/
const damaged = (rule: string) => new Error(`The service secret is no list of versions: ${rule}.`)
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** The keys of a retired version; null for anything else. */
function readKeys(value: unknown): Record<string, Buffer> | null {
  if (!isObject(value)) return null
  const keys = Object.entries(value).map(([purpose, key]): [string, Buffer] => [
    purpose,
    Buffer.from(typeof key === 'string' ? key : '', 'base64'),
  ])
  return keys.length > 0 && keys.every(([, key]) => key.length === 32) ? Object.fromEntries(keys) : null
}

function readVersion(value: unknown, place: number): SecretVersion {
  const where = `entry ${place + 1}`
  if (!isObject(value)) throw damaged(`${where} is no object`)
  const { version: name, from, secret, keys, compromised = false } = value
  if (typeof name !== 'string' || !namePattern.test(name)) throw damaged(`${where} has no name under "version"`)
  if (isText(secret) === (keys !== undefined)) throw damaged(`${where} needs either "secret" or "keys"`)
  const kept = keys === undefined ? {} : readKeys(keys)
  if (!kept) throw damaged(`"keys" of ${where} are no keys of 32 bytes`)
  const since = from === undefined ? 0 : typeof from === 'string' ? parseTimestamp(from) : null
  if (since === null) throw damaged(`"from" of ${where} is no RFC 3339 timestamp`)
  if (typeof compromised !== 'boolean') throw damaged(`"compromised" of ${where} is neither true nor false`)
  return { name, from: since, secret: isText(secret) ? secret : null, keys: kept, compromised }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged('it begins with [ and is no JSON')
  }
}

/** The version that writes at an instant: the newest that has begun, else the oldest there is. */
export function writingAt(versions: SecretVersion[], now: number): SecretVersion | undefined {
  const usable = versions.filter(({ secret, compromised }) => secret !== null && !compromised)
  return usable.find(({ from }) => from <= now) ?? usable.at(-1)
}

/**
 * The versions in the text of the service secret, newest first: a JSON list, or one secret as it is, which is the first
 * version and all there was before there were lists.
 * @throws Error that names the rule a damaged list breaks, and nothing of what is in it
 */
export function readVersions(text: string): SecretVersion[] {
  if (!text.trimStart().startsWith('[')) {
    return [{ name: firstVersion, from: 0, secret: text, keys: {}, compromised: false }]
  }
  const list = parsed(text)
  if (!Array.isArray(list)) throw damaged('it is no list')
  const versions = list.map(readVersion)
  if (new Set(versions.map(({ name }) => name)).size < versions.length) throw damaged('two versions have one name')
  versions.sort((a, b) => b.from - a.from)
  if (!writingAt(versions, 0)) throw damaged('none of its versions may write')
  return versions
}

/** The text of a list, as it is stored. */
export const versionsText = (versions: SecretVersion[]): string =>
  JSON.stringify(
    versions.map(({ name, from, secret, keys, compromised }) => ({
      version: name,
      ...(from > 0 && { from: timestamp(from) }),
      ...(secret === null
        ? { keys: Object.fromEntries(Object.entries(keys).map(([purpose, key]) => [purpose, key.toString('base64')])) }
        : { secret }),
      ...(compromised && { compromised }),
    })),
  )

/** A text with the name of the version that made it; what the first version makes has none. */
export const nameVersion = (version: string, text: string): string =>
  version === firstVersion ? text : `${version}.${text}`

/** The version that a text names, and the text without it. No alphabet of what is named has a dot. */
export function namedVersion(text: string): { version: string; text: string } {
  const dot = text.indexOf('.')
  return dot < 0 ? { version: firstVersion, text } : { version: text.slice(0, dot), text: text.slice(dot + 1) }
}

import { parseTimestamp, timestamp } from '../clock.ts'
import { isObject } from '../json/is-object.ts'
import { type SecretVersion, writingAt } from './secret-versions.ts'

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

/**
 * The versions in the JSON list that the text of the service secret is, newest first.
 * @throws Error that names the rule a damaged list breaks, and nothing of what is in it
 */
export function readList(text: string): SecretVersion[] {
  const list = parsed(text)
  if (!Array.isArray(list)) throw damaged('it is no list')
  const versions = list.map(readVersion)
  if (new Set(versions.map(({ name }) => name)).size < versions.length) throw damaged('two versions have one name')
  versions.sort((a, b) => b.from - a.from)
  if (!writingAt(versions, 0)) throw damaged('none of its versions may write')
  return versions
}

/** The text of the list, as it is stored. */
export const listText = (versions: SecretVersion[]): string =>
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

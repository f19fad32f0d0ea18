import { hkdfSync } from 'node:crypto'
import { readSecret } from '../aws/read-secret.ts'
import { clock } from '../clock.ts'
import { logLine } from '../logging/log.ts'
import { isList, onlyVersion, type SecretVersion, writingAt } from './secret-versions.ts'

/** A new version is known everywhere after this long. */
export const knownForMs = 5 * 60_000
/** After a failure the versions that are known count on, and are asked for again after this long. */
const retryMs = 30_000
/** A version that is not known is asked for at once, but no more often than this: names come from outside, too. */
const unknownPauseMs = 10_000

type Known = { text: string; versions: SecretVersion[]; askedAt: number; until: number }

let known: Known | undefined
let asking: Promise<Known> | undefined
const keys = new Map<string, Buffer>()

async function secretText(): Promise<string> {
  const given = process.env.SERVICE_SECRET
  if (given) return given
  const arn = process.env.SERVICE_SECRET_ARN
  if (!arn) throw new Error('Neither SERVICE_SECRET nor SERVICE_SECRET_ARN is set.')
  return readSecret(arn)
}

/** The versions in the text of the secret; what reads a list is loaded where there is one. @throws Error for a damaged list */
export async function versionsIn(text: string): Promise<SecretVersion[]> {
  if (!isList(text)) return [onlyVersion(text)]
  const { readList } = await import('./secret-list.ts')
  return readList(text)
}

async function ask(): Promise<Known> {
  const askedAt = Date.now()
  try {
    const text = await secretText()
    const versions = text === known?.text ? known.versions : await versionsIn(text)
    if (text !== known?.text) keys.clear()
    known = { text, versions, askedAt, until: askedAt + knownForMs }
  } catch (error) {
    if (!known) throw error
    logLine('ERROR', 'service_secret_not_read', {
      error: error instanceof Error ? error.message : 'not an error object',
    })
    known = { ...known, askedAt, until: askedAt + retryMs }
  }
  return known
}

/** One question at a time, whoever asks. */
const askOnce = (): Promise<Known> => {
  asking ??= ask().finally(() => {
    asking = undefined
  })
  return asking
}

const current = async (): Promise<Known> => (known && Date.now() < known.until ? known : askOnce())

/** The versions of the service secret, newest first, as this process knows them. */
export const secretVersions = async (): Promise<SecretVersion[]> => (await current()).versions

/** The same as they are now: for what decides about the versions themselves. */
export const newestVersions = async (): Promise<SecretVersion[]> => (await askOnce()).versions

async function versionNamed(name: string): Promise<SecretVersion | undefined> {
  const { versions, askedAt } = await current()
  const find = (all: SecretVersion[]) => all.find((version) => version.name === name)
  if (find(versions) || Date.now() - askedAt < unknownPauseMs) return find(versions)
  return find((await askOnce()).versions)
}

/** A 32 byte key of a version for one purpose, derived with HKDF-SHA256 (RFC 5869); null when only other keys are left of the version. */
export function derive({ name, secret, keys: kept }: SecretVersion, purpose: string): Buffer | null {
  if (secret === null) return kept[purpose] ?? null
  const address = `${name} ${purpose}`
  const found = keys.get(address)
  if (found) return found
  const key = Buffer.from(hkdfSync('sha256', secret, 'network-access-administration', purpose, 32))
  if (keys.size > 1000) keys.clear()
  keys.set(address, key)
  return key
}

async function writingVersion(): Promise<SecretVersion> {
  const version = writingAt(await secretVersions(), clock.now())
  if (!version) throw new Error('No version of the service secret may write.')
  return version
}

/** Whether a version is the one that is written with now. */
export const isWriting = async (version: string): Promise<boolean> => (await writingVersion()).name === version

export type VersionKey = { version: string; key: Buffer }

/** The key that is written with now, and the name of its version, which goes with whatever it makes. */
export async function writingKey(purpose: string | ((version: string) => string)): Promise<VersionKey> {
  const version = await writingVersion()
  const key = derive(version, typeof purpose === 'string' ? purpose : purpose(version.name))
  if (!key) throw new Error('No version of the service secret may write.')
  return { version: version.name, key }
}

/** The key of the version that made something stored; null when there is no such version any more. */
export async function keyOf(version: string, purpose: string): Promise<Buffer | null> {
  const found = await versionNamed(version)
  return found ? derive(found, purpose) : null
}

/** The same for what comes from outside and proves itself by the key: null also for a version that is compromised. */
export async function provingKeyOf(version: string, purpose: string): Promise<Buffer | null> {
  const found = await versionNamed(version)
  return found && !found.compromised ? derive(found, purpose) : null
}

/** The key of the oldest version that has one: for what is never made anew. */
export async function oldestKey(purpose: string): Promise<Buffer> {
  for (const version of (await secretVersions()).toReversed()) {
    const key = derive(version, purpose)
    if (key) return key
  }
  throw new Error(`No version of the service secret has a key for ${purpose}.`)
}

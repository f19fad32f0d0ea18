import { createHash, randomBytes } from 'node:crypto'
import { clock } from '../clock.ts'
import { logLine } from '../logging/log.ts'
import { deriveKey } from './sealed-bytes.ts'

const secondMicros = 1_000_000
/** Time in microseconds after which every process has read a new version. */
const cacheMicros = 300 * secondMicros
/** Time until a failed read is retried. The cached versions stay valid. */
const retryMicros = 30 * secondMicros
/** Minimum time between reads for unknown version names, because callers can invent names. */
const unknownNameMicros = 60 * secondMicros
/** Age in microseconds at which a version is first used for signing. By then, every process has read the version. */
const signingDelayMicros = 2 * cacheMicros

type Stage = 'AWSCURRENT' | 'AWSPREVIOUS'
/** Version of the signing secret. `name` is a digest of the secret, which is sent with each signature. */
type Version = { name: string; secret: string; createdAt: number }
/** Cached versions of the secret. The previous version is read on demand. */
type CachedVersions = { current: Version; previous?: Promise<Version | null>; readAt: number; until: number }

let cachedVersions: CachedVersions | undefined
let pendingRead: Promise<CachedVersions> | undefined

const versionOf = (secret: string, createdAt: number): Version => ({
  name: createHash('sha256').update(`name ${secret}`).digest('base64url').slice(0, 8),
  secret,
  createdAt,
})

async function read(stage: Stage): Promise<Version | null> {
  const { SIGNING_SECRET: localSecret, SIGNING_SECRET_ARN: arn } = process.env
  if (localSecret) return stage === 'AWSCURRENT' ? versionOf(localSecret, 0) : null
  if (!arn) throw new Error('Neither SIGNING_SECRET nor SIGNING_SECRET_ARN is set.')
  const { readVersion } = await import('../aws/secrets-manager.ts')
  try {
    const { text, createdAt } = await readVersion(arn, stage)
    return versionOf(text, createdAt.getTime() * 1_000)
  } catch (error) {
    if (stage === 'AWSPREVIOUS' && error instanceof Error && error.name === 'ResourceNotFoundException') return null
    throw error
  }
}

async function readAgain(): Promise<CachedVersions> {
  const readAt = clock.now()
  try {
    const current = await read('AWSCURRENT')
    if (!current) throw new Error('The signing secret has no version.')
    const previous = current.name === cachedVersions?.current.name ? cachedVersions.previous : undefined
    cachedVersions = { current, readAt, until: readAt + cacheMicros, ...(previous && { previous }) }
  } catch (error) {
    if (!cachedVersions) throw error
    logLine('ERROR', 'signing_secret_not_read', {
      error: error instanceof Error ? error.message : 'not an error object',
    })
    cachedVersions = { ...cachedVersions, readAt, until: readAt + retryMicros }
  }
  return cachedVersions
}

const readOnce = (): Promise<CachedVersions> => {
  pendingRead ??= readAgain().finally(() => {
    pendingRead = undefined
  })
  return pendingRead
}

const latestVersions = async (): Promise<CachedVersions> =>
  cachedVersions && clock.now() < cachedVersions.until ? cachedVersions : readOnce()

/** Reads the previous version. A failed read is not cached. */
function previousOf(versions: CachedVersions): Promise<Version | null> {
  versions.previous ??= read('AWSPREVIOUS').catch((error) => {
    delete versions.previous
    throw error
  })
  return versions.previous
}

/** Returns the version that signs: the previous version until every process has read the current one. */
async function signingVersion(): Promise<Version> {
  const versions = await latestVersions()
  const { current } = versions
  return clock.now() < current.createdAt + signingDelayMicros ? ((await previousOf(versions)) ?? current) : current
}

async function findVersion(name: string, versions: CachedVersions): Promise<Version | null> {
  if (name === versions.current.name) return versions.current
  const previous = await previousOf(versions)
  if (name === previous?.name) return previous
  return clock.now() < versions.readAt + unknownNameMicros ? null : findVersion(name, await readOnce())
}

/** Derived keys by version and purpose. The number of keys is limited, because callers can invent purposes. */
const keys = new Map<string, Buffer>()

function keyOf({ name, secret }: Version, purpose: string): Buffer {
  const key = keys.get(`${name} ${purpose}`) ?? deriveKey(secret, purpose)
  if (keys.size > 1_000) keys.clear()
  keys.set(`${name} ${purpose}`, key)
  return key
}

/** Returns the signing key for a purpose, and the name of its version, which is sent with the signature. */
export async function signingKey(purpose: string): Promise<{ version: string; key: Buffer }> {
  const version = await signingVersion()
  return { version: version.name, key: keyOf(version, purpose) }
}

/** Returns the key of the current or previous version; null for any other version. */
export async function verifyingKey(name: string, purpose: string): Promise<Buffer | null> {
  const version = await findVersion(name, await latestVersions())
  return version && keyOf(version, purpose)
}

export const isSigning = async (name: string): Promise<boolean> => (await signingVersion()).name === name

/** Maximum age of a version. More than twice the lifetime of an ingest token, because two rotations invalidate the token. */
const maxAgeMs = 90 * 86_400_000

/** Replaces the signing secret when a rotation is due. Does nothing on a single machine. Idempotent, even after a manual replacement. */
export async function rotateSigningSecret(): Promise<void> {
  const arn = process.env.SIGNING_SECRET_ARN
  if (!arn) return
  const { readVersion, writeSecret } = await import('../aws/secrets-manager.ts')
  const { createdAt, id } = await readVersion(arn)
  if (clock.now() / 1_000 < createdAt.getTime() + maxAgeMs) return
  // Derives the id of the new version from the current version, so that two concurrent runs rotate only once.
  const next = createHash('sha256').update(`after ${id}`).digest('hex')
  await writeSecret(arn, randomBytes(48).toString('base64url'), next)
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { namedVersion, nameVersion } from './secret-versions.ts'
import { keyOf, writingKey } from './service-secret.ts'

/** Sealed bytes, and the version of the service secret that opens them. */
export type Sealed = { version: string; bytes: Uint8Array }

/**
 * Encrypts with AES-256-GCM for one purpose within one account; `place` is authenticated, so that what was sealed for
 * one place cannot be opened at another. For what must be read again, but never from the table or its stream.
 */
export async function seal(accountId: string, purpose: string, place: string, text: Uint8Array) {
  const { version, key } = await writingKey(`${purpose} ${accountId}`)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return { version, bytes: Buffer.concat([iv, cipher.getAuthTag(), sealed]) }
}

/** @throws Error when it was sealed elsewhere, is damaged, or names a version that is gone */
export async function unseal(accountId: string, purpose: string, place: string, sealed: Sealed): Promise<Buffer> {
  const key = await keyOf(sealed.version, `${purpose} ${accountId}`)
  if (!key) throw new Error(`What is sealed names version ${sealed.version} of the service secret, which is not there.`)
  const bytes = Buffer.from(sealed.bytes)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

const purpose = 'outside secret'

/** The stored form of a secret of an outside service: never readable in the table, its stream or a backup. */
export async function sealSecret(accountId: string, secret: string): Promise<string> {
  const { version, bytes } = await seal(accountId, purpose, accountId, Buffer.from(secret))
  return nameVersion(version, bytes.toString('base64'))
}

export async function openSecret(accountId: string, stored: string): Promise<string> {
  const { version, text } = namedVersion(stored)
  return (await unseal(accountId, purpose, accountId, { version, bytes: Buffer.from(text, 'base64') })).toString()
}

/** Whether it holds this secret; one that cannot be opened any more holds none. */
const holds = (accountId: string, stored: string, secret: string): Promise<boolean> =>
  openSecret(accountId, stored).then(
    (opened) => opened === secret,
    () => false,
  )

/** The stored form, kept as it is while the secret stays the same: an update that changes nothing writes nothing. */
export async function resealSecret(accountId: string, secret: string, stored: string | null): Promise<string> {
  if (stored !== null && (await holds(accountId, stored, secret))) return stored
  return sealSecret(accountId, secret)
}

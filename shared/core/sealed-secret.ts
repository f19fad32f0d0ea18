import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { serviceKey } from './service-secret.ts'

/**
 * Encrypts with AES-256-GCM for one purpose within one account; `place` is authenticated, so that what was sealed for
 * one place cannot be opened at another. For what must be read again, but never from the table or its stream.
 */
export async function seal(accountId: string, purpose: string, place: string, text: Uint8Array): Promise<Buffer> {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await serviceKey(`${purpose} ${accountId}`), iv).setAAD(
    Buffer.from(place),
  )
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** @throws Error when it was sealed elsewhere, or damaged */
export async function unseal(accountId: string, purpose: string, place: string, sealed: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', await serviceKey(`${purpose} ${accountId}`), bytes.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

const purpose = 'outside secret'

/** The stored form of a secret of an outside service: never readable in the table, its stream or a backup. */
export const sealSecret = async (accountId: string, secret: string): Promise<string> =>
  (await seal(accountId, purpose, accountId, Buffer.from(secret))).toString('base64')

export const openSecret = async (accountId: string, stored: string): Promise<string> =>
  (await unseal(accountId, purpose, accountId, Buffer.from(stored, 'base64'))).toString()

/** The stored form, kept as it is while the secret stays the same: an update that changes nothing writes nothing. */
export async function resealSecret(accountId: string, secret: string, stored: string | null): Promise<string> {
  if (stored !== null && (await openSecret(accountId, stored)) === secret) return stored
  return sealSecret(accountId, secret)
}

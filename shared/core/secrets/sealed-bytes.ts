import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Derives a 32-byte key for one purpose with HKDF-SHA256 (RFC 5869), from a secret that nobody can guess. */
export const deriveKey = (secret: string | Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'network-access-administration', purpose, 32))

/** Encrypts bytes with AES-256-GCM. Returns the IV, the authentication tag and the ciphertext. */
export function encryptBytes(key: Buffer, bytes: Uint8Array): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Decrypts bytes from `encryptBytes`. @throws Error for another key, and for changed or truncated bytes */
export function decryptBytes(key: Buffer, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

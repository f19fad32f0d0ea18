import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Derives a 32-byte key for one purpose with HKDF-SHA256 (RFC 5869), from a secret that cannot be guessed. */
export const deriveKey = (secret: string | Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'network-access-administration', purpose, 32))

/** Encrypts bytes with AES-256-GCM. Returns the IV, the authentication tag and the ciphertext. */
export function encryptBytes(key: Buffer, bytes: Uint8Array): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** Decrypts the output of `encryptBytes`. @throws Error if the key is wrong, or if the bytes were changed or truncated */
export function decryptBytes(key: Buffer, sealedBytes: Uint8Array): Buffer {
  const bytes = Buffer.from(sealedBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

import { randomBytes } from 'node:crypto'

/** Returns a new public key for a device or gateway: 32 random bytes in base64. */
export const publicKey = (): string => randomBytes(32).toString('base64')

import { randomBytes } from 'node:crypto'

/** Returns a new key of a device or a gateway: 32 bytes in base64. */
export const publicKey = (): string => randomBytes(32).toString('base64')

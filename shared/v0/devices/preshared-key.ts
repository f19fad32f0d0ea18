import { randomBytes } from 'node:crypto'

/** 32 random bytes in base64 (`/v0` contract, 10.3). */
export const newPresharedKey = (): string => randomBytes(32).toString('base64')

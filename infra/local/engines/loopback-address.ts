import { randomInt } from 'node:crypto'

/** Systems on which all of 127.0.0.0/8 is this machine; on others it is 127.0.0.1 alone. */
const whole = new Set<NodeJS.Platform>(['linux', 'win32'])

/**
 * An address of this machine that pages in a browser do not find: the table's engine is behind it without a password, and lets
 * pages of any origin ask. Programs of this machine can still list who listens where.
 */
export const loopbackAddress = (platform = process.platform): string =>
  whole.has(platform) ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}` : '127.0.0.1'

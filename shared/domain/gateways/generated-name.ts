import { randomInt } from 'node:crypto'

/** Five random lower-case letters (A21.2). */
export const generateGatewayName = (): string =>
  Array.from({ length: 5 }, () => String.fromCharCode(97 + randomInt(26))).join('')

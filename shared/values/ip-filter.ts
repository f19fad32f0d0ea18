import type { Filter } from './filters.ts'
import { formatIp, parseIp } from './ip.ts'

/** An IP literal of one family, compared in its canonical form (A33.3). */
export const ipFilter = (family: 4 | 6): Filter => ({
  read: (text) => {
    const ip = parseIp(text)
    return ip?.family === family ? formatIp(ip) : undefined
  },
  schema: { type: 'string', format: `ipv${family}` },
})

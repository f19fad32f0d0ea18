import { existsSync, readFileSync } from 'node:fs'

const status = '/proc/self/status'

/** The most memory that this process had. Linux says of `maxRSS` at least what the process had that started it. */
export function peakMegabytes(): number {
  const own = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return Number(own ?? process.resourceUsage().maxRSS) / 1_024
}

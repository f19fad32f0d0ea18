import { existsSync, readFileSync } from 'node:fs'

const status = '/proc/self/status'

/** Peak memory of this process. Linux initializes `maxRSS` with the parent process's memory, so `/proc` is preferred. */
export function peakMegabytes(): number {
  const peak = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return Number(peak ?? process.resourceUsage().maxRSS) / 1_024
}

import { parseTimestamp } from '#shared/core/clock.ts'
import { agree } from './agree.ts'
import type { SimulatedAccount } from './simulated-account.ts'

/** Three heartbeats (P1.3). */
const leaseMicros = () => 3 * Number(process.env.HEARTBEAT_SECS) * 1_000_000

/** The end of a lease that was answered, which has to be the contract's; a client's ends with its token at the latest. */
export function leaseEnd(account: SimulatedAccount, before: number, expiresAt: string, tokenEnd = Infinity): number {
  const end = parseTimestamp(expiresAt) as number
  if (end === tokenEnd) {
    agree('a lease that ends with its token would end later', end <= account.clock.now + leaseMicros(), true)
    return end
  }
  agree('a lease ends with its token', end < tokenEnd, true)
  const begin = end - leaseMicros()
  agree('the lease begins with the request', begin >= before && begin <= account.clock.now, true)
  return end
}

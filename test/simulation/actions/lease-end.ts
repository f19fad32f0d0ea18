import { parseTimestamp } from '#shared/core/clock.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

/** Duration of a lease in microseconds: three heartbeat intervals (P1.3), or three keepalive intervals for a connected client (C3.1). */
export const leaseMicros = (isConnectedClient = false) =>
  3 * (isConnectedClient ? 300 : Number(process.env.HEARTBEAT_SECS)) * 1_000_000

type Bounds = { tokenEnd?: number; isConnectedClient?: boolean }

/** Checks the lease expiry in a response, and returns it in microseconds. A client's lease never outlasts its token. */
export function leaseEnd(
  account: SimulatedAccount,
  before: number,
  expiresAt: string,
  { tokenEnd = Number.POSITIVE_INFINITY, isConnectedClient = false }: Bounds = {},
): number {
  const length = leaseMicros(isConnectedClient)
  const end = parseTimestamp(expiresAt) as number
  if (end === tokenEnd) {
    agree('a lease that ends with its token would end later', end <= account.clock.now + length, true)
    return end
  }
  agree('a lease ends with its token', end < tokenEnd, true)
  const begin = end - length
  agree('the lease begins with the request', begin >= before && begin <= account.clock.now, true)
  return end
}

import { randomInt } from 'node:crypto'
import { ApiError } from '../errors.ts'
import { guardKey } from '../table/keys.ts'
import { getItems } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { firstOffset, lastOffset, tunnelAddresses } from './tunnel-address.ts'

/** The set of unique values that every device with a tunnel address declares by its IPv4 address. */
const addressSet = 'devices.tunnel_address'
const capacity = lastOffset - firstOffset + 1
/** Addresses tested in one round trip; the first is nearly always free, so the first round tests just it. */
const probesPerRound = 100

/**
 * Free tunnel addresses for a device that this commit inserts, found by probing linearly from a random offset (A21.2).
 * One device a commit: an address that the commit itself takes is not seen.
 * @throws ApiError `address_space_exhausted`
 */
export async function allocateAddress(
  transaction: Pick<Transaction, 'accountId' | 'count'>,
  start = randomInt(firstOffset, lastOffset + 1),
): Promise<{ ipv4: string; ipv6: string }> {
  const taken = transaction.count('gateways') + transaction.count('clients')
  if (taken < capacity) {
    for (let probed = 0; probed < capacity; ) {
      const size = Math.min(probed === 0 ? 1 : probesPerRound, capacity - probed)
      const candidates = Array.from({ length: size }, (_, i) =>
        tunnelAddresses(firstOffset + ((start - firstOffset + probed + i) % capacity)),
      )
      const guards = await getItems(candidates.map(({ ipv4 }) => guardKey(transaction.accountId, addressSet, ipv4)))
      const free = candidates.find((_, i) => guards[i] === undefined)
      if (free) return free
      probed += size
    }
  }
  throw new ApiError('address_space_exhausted', 'No tunnel address is free.')
}

import { randomInt } from 'node:crypto'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { firstFree } from './first-free.ts'
import { firstOffset, lastOffset, tunnelAddresses } from './tunnel-address.ts'

/** The set of unique values that every device with a tunnel address declares by its IPv4 address. */
const addressSet = 'devices.tunnel_address'
const capacity = lastOffset - firstOffset + 1

/** All addresses, from an offset upward and around. */
function* addressesFrom(start: number): Generator<{ ipv4: string; ipv6: string }> {
  for (let i = 0; i < capacity; i++) yield tunnelAddresses(firstOffset + ((start - firstOffset + i) % capacity))
}

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
  const free =
    taken < capacity && (await firstFree(transaction.accountId, addressSet, addressesFrom(start), ({ ipv4 }) => ipv4))
  if (!free) throw new ApiError('address_space_exhausted', 'No tunnel address is free.')
  return free
}

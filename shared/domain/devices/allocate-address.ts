import { randomInt } from 'node:crypto'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { uniqueKey } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'
import { formatIp, ipRangeOf } from '../../values/ip.ts'

const base4 = ipRangeOf('100.64.0.0').first
const base6 = ipRangeOf('fd00:2021:1111::').first

/**
 * First usable offset in 100.64.0.0/11 and fd00:2021:1111::/107. The first and last addresses of both ranges are never assigned (A21.2).
 */
export const firstOffset = 1
export const lastOffset = 2 ** 21 - 2

export const tunnelAddresses = (offset: number): { ipv4: string; ipv6: string } => ({
  ipv4: formatIp({ family: 4, value: base4 + BigInt(offset) }),
  ipv6: formatIp({ family: 6, value: base6 + BigInt(offset) }),
})

/** Number of addresses checked per round trip. The first round trip checks only one address, which is nearly always free. */
const probesPerRound = 100

export async function findFirstFree<T>(
  accountId: string,
  set: string,
  candidates: Iterable<T>,
  toValue: (candidate: T) => string,
): Promise<T | null> {
  const source = candidates[Symbol.iterator]()
  for (let size = 1; ; size = probesPerRound) {
    const round: T[] = []
    while (round.length < size) {
      const next = source.next()
      if (next.done) break
      round.push(next.value)
    }
    if (round.length === 0) return null
    const uniques = await getItems(round.map((candidate) => uniqueKey(accountId, set, toValue(candidate))))
    const free = round.find((_, i) => uniques[i] === undefined)
    if (free !== undefined) return free
  }
}

const addressSet = 'devices.tunnel_address'
const capacity = lastOffset - firstOffset + 1

function* addressesFrom(start: number): Generator<{ ipv4: string; ipv6: string }> {
  for (let i = 0; i < capacity; i++) yield tunnelAddresses(firstOffset + ((start - firstOffset + i) % capacity))
}

/**
 * Finds free tunnel addresses for a new device (A21.2). A commit creates at most one device.
 * @throws ApiError `address_space_exhausted`
 */
export async function allocateAddress(
  transaction: Pick<Transaction, 'accountId' | 'count'>,
  start = randomInt(firstOffset, lastOffset + 1),
): Promise<{ ipv4: string; ipv6: string }> {
  const usedCount = transaction.count('gateways') + transaction.count('clients')
  const free =
    usedCount < capacity &&
    (await findFirstFree(transaction.accountId, addressSet, addressesFrom(start), ({ ipv4 }) => ipv4))
  if (!free) throw new ApiError('address_space_exhausted', 'No tunnel address is free.')
  return free
}

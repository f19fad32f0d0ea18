import { randomInt } from 'node:crypto'
import type { Transaction } from '../commit/transaction.ts'
import { env } from '../core/env.ts'
import { invalidAt } from '../core/errors.ts'
import { findFirstFree } from '../domain/devices/allocate-address.ts'
import { formatIp, ipRangeOf, parseCidr } from '../values/ip.ts'

type Family = 'ipv4' | 'ipv6'

/** Maximum number of addresses used in one network (`/v0` contract, 10.6). */
const maxSize = 2n ** 58n
/** Largest range that `randomInt` supports. */
const maxDraw = 2n ** 48n - 1n

/** Returns a random number in `[0, below)`. Combines two numbers from `randomInt` if the range is too large for one. */
function randomBelow(below: bigint): bigint {
  if (below <= maxDraw) return BigInt(randomInt(Number(below)))
  const high = BigInt(randomInt(2 ** 29))
  const low = BigInt(randomInt(2 ** 29))
  return ((high << 29n) | low) % below
}

/** Yields the offsets to try: first from `start` upward, then downward from just below `start` (`/v0` contract, 10.6). */
export function* offsetsFrom(start: bigint, size: bigint): Generator<bigint> {
  for (let offset = start; offset <= size - 2n; offset++) yield offset
  for (let offset = start - 1n; offset >= 2n; offset--) yield offset
}

export function serverAddress(family: Family): string {
  const { family: version, first } = ipRangeOf(env.v0[family].server)
  return formatIp({ family: version, value: first })
}

function readNetwork(family: Family) {
  const text = env.v0[family].network
  const network = parseCidr(text)
  if (!network) throw new Error(`The setting ${text} is not a network.`)
  const size = network.last - network.first + 1n
  return { ...network, text, size: size < maxSize ? size : maxSize }
}

/** Finds a free device address (`/v0` contract, 10.6). @throws ApiError 422 `CIDR <network> is exhausted` */
export async function allocateV0Address(
  transaction: Pick<Transaction, 'accountId'>,
  family: Family,
  draw: (below: bigint) => bigint = randomBelow,
): Promise<string> {
  const { family: version, first, size, text } = readNetwork(family)
  const server = serverAddress(family)
  function* candidates(): Generator<string> {
    if (size < 4n) return
    for (const offset of offsetsFrom(2n + draw(size - 3n), size)) {
      const address = formatIp({ family: version, value: first + offset })
      if (address !== server) yield address
    }
  }
  const free = await findFirstFree(transaction.accountId, `v0_devices.${family}`, candidates(), (address) => address)
  if (free === null) throw invalidAt(['base'], `CIDR ${text} is exhausted`)
  return free
}

import { formatIp, rangeOf } from '../../values/ip.ts'

const base4 = rangeOf('100.64.0.0').first
const base6 = rangeOf('fd00:2021:1111::').first

/** Offsets of 100.64.0.0/11 and fd00:2021:1111::/107; the first and the last are never used (A21.2). */
export const firstOffset = 1
export const lastOffset = 2 ** 21 - 2

/** The addresses of a device inside the tunnel: the same offset in both ranges. */
export const tunnelAddresses = (offset: number): { ipv4: string; ipv6: string } => ({
  ipv4: formatIp({ family: 4, value: base4 + BigInt(offset) }),
  ipv6: formatIp({ family: 6, value: base6 + BigInt(offset) }),
})

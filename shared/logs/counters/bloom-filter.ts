import { hash } from 'node:crypto'

/** Bits per value and number of positions of a value, which result in 1 % false positives. */
const [bitsPerValue, positionCount] = [9.6, 7]
/** Sizes in bytes. A larger filter would not fit into an item, so that more values cause more false positives. */
const [minBytes, maxBytes] = [8, 250_000]

/** Returns the positions of a value by double hashing. */
function positionsOf(value: string, bits: number): number[] {
  const digest = hash('sha256', value, 'buffer')
  const [first, step] = [digest.readUInt32LE(0), digest.readUInt32LE(4)]
  return Array.from({ length: positionCount }, (_, i) => (first + i * step) % bits)
}

/** Builds a Bloom filter of all values. */
export function bloomFilter(values: readonly string[]): Uint8Array {
  const bytes = Math.ceil((values.length * bitsPerValue) / 8)
  const filter = new Uint8Array(Math.min(maxBytes, Math.max(minBytes, bytes)))
  for (const value of values)
    for (const position of positionsOf(value, filter.length * 8)) {
      const byte = position >> 3
      filter[byte] = (filter[byte] as number) | (1 << (position & 7))
    }
  return filter
}

/** True for each value of the filter, and for about 1 % of all other values. */
export const mayContain = (filter: Uint8Array, value: string): boolean =>
  positionsOf(value, filter.length * 8).every((position) => ((filter[position >> 3] as number) >> (position & 7)) & 1)

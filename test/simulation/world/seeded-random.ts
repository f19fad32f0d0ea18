export class SeededRandom {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from `from` to `to`, both inclusive. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('There is nothing to pick from.')
    return values[this.int(0, values.length - 1)] as T
  }

  sample<T>(values: Iterable<T>, max: number): T[] {
    const rest = [...values]
    const picked: T[] = []
    while (picked.length < max && rest.length > 0) picked.push(...rest.splice(this.int(0, rest.length - 1), 1))
    return picked
  }

  weighted<T>(values: readonly (readonly [weight: number, value: T])[]): T {
    const total = values.reduce((sum, [weight]) => sum + weight, 0)
    let at = this.next() * total
    for (const [weight, value] of values) {
      at -= weight
      if (at < 0) return value
    }
    return (values.at(-1) as (typeof values)[number])[1]
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(0, 255)))
  }
}

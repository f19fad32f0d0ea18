import { setTimeout as sleep } from 'node:timers/promises'

/** How retries wait, and the clock by which they give up, in milliseconds. A simulation puts its own time in their place. */
export const waiting = {
  now: (): number => Date.now(),
  sleep: (ms: number): Promise<unknown> => sleep(ms),
}

/** A random part of a span that doubles with every try, up to a bound: who met at once does not meet again at once. */
export const jitter = (tries: number, firstMs: number, mostMs: number): number =>
  Math.random() * Math.min(mostMs, firstMs * 2 ** Math.min(tries, 20))

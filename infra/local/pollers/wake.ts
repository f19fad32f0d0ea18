import { setTimeout as sleep } from 'node:timers/promises'

/** Tells waiting pollers that something was written, so that they need not ask the engines all the time. */
export class Wake {
  #count = 0
  #waiting = new Set<() => void>()

  get count(): number {
    return this.#count
  }

  written(): void {
    this.#count++
    for (const resume of this.#waiting) resume()
    this.#waiting.clear()
  }

  /** Waits until something was written since the count was read, or the time is over. True when it was. */
  async since(count: number, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (this.#count === count && !signal.aborted) {
      const done = new AbortController()
      const resume = () => done.abort()
      this.#waiting.add(resume)
      await sleep(milliseconds, undefined, { signal: AbortSignal.any([done.signal, signal]) }).catch(() => undefined)
      this.#waiting.delete(resume)
    }
    return this.#count !== count
  }
}

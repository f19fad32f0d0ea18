import { setTimeout as sleep } from 'node:timers/promises'

/** However much there is to tell, no more than ten a second: a token may ask twenty times. */
const shortestMs = 100

/** Runs heartbeats one after the other: each in time, and sooner when somebody asks for one. */
export class Heartbeats {
  readonly #beat: () => Promise<void>
  #seconds = 30
  #wake: (() => void) | undefined
  /** When the next one is due, in milliseconds of the process. */
  #dueAt = 0
  #begunAt = 0
  #stopped = false

  constructor(beat: () => Promise<void>) {
    this.#beat = beat
  }

  /** How many seconds there may be between two from now on. */
  every(seconds: number): void {
    this.#seconds = seconds
    this.#dueAt = Math.min(this.#dueAt, this.#nextAt())
    this.#wake?.()
  }

  /** Asks for one within so many milliseconds; of several wishes the earliest counts. */
  soon(withinMs = 0): void {
    this.#dueAt = Math.min(this.#dueAt, performance.now() + Math.random() * withinMs)
    this.#wake?.()
  }

  stop(): void {
    this.#stopped = true
    this.#wake?.()
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const left = Math.max(this.#dueAt, this.#begunAt + shortestMs) - performance.now()
      if (left > 0) {
        await this.#pause(left)
        continue
      }
      this.#begunAt = performance.now()
      this.#dueAt = this.#nextAt()
      await this.#beat()
    }
  }

  /** A little early, so that one that is late is not too late, and not all devices at once. */
  #nextAt(): number {
    return performance.now() + this.#seconds * 1_000 * (0.7 + 0.2 * Math.random())
  }

  async #pause(milliseconds: number): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await sleep(milliseconds, undefined, { signal: woken.signal }).catch(() => undefined)
    this.#wake = undefined
  }
}

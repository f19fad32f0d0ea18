import { setTimeout as sleep } from 'node:timers/promises'

/** Minimum time between two heartbeats. Ten per second stay below the rate limit of a token, which is 20 requests per second. */
const minIntervalMs = 100

/** Sends heartbeats one after the other, at a regular interval and earlier on request. */
export class Heartbeats {
  readonly #sendHeartbeat: () => Promise<void>
  #intervalSeconds = 30
  #wake: (() => void) | undefined
  /** Time of the next heartbeat, in milliseconds since the start of the process. */
  #dueAt = 0
  /** Start of the last heartbeat, in the same unit as `#dueAt`. */
  #startedAt = 0
  #stopped = false

  constructor(sendHeartbeat: () => Promise<void>) {
    this.#sendHeartbeat = sendHeartbeat
  }

  /** Sets the maximum interval between two heartbeats, in seconds. */
  every(seconds: number): void {
    this.#intervalSeconds = seconds
    this.#dueAt = Math.min(this.#dueAt, this.#nextAt())
    this.#wake?.()
  }

  /** Schedules a heartbeat within `withinMs` milliseconds, at a random time. The earliest of several requests applies. */
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
      const waitMs = Math.max(this.#dueAt, this.#startedAt + minIntervalMs) - performance.now()
      if (waitMs > 0) {
        await this.#pause(waitMs)
        continue
      }
      this.#startedAt = performance.now()
      this.#dueAt = this.#nextAt()
      await this.#sendHeartbeat()
    }
  }

  /** Time of the next regular heartbeat: early enough to tolerate delays, and random so that devices do not send at once. */
  #nextAt(): number {
    return performance.now() + this.#intervalSeconds * 1_000 * (0.7 + 0.2 * Math.random())
  }

  async #pause(milliseconds: number): Promise<void> {
    const wakeUp = new AbortController()
    this.#wake = () => wakeUp.abort()
    await sleep(milliseconds, undefined, { signal: wakeUp.signal }).catch(() => undefined)
    this.#wake = undefined
  }
}

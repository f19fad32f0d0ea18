import { clock } from '../clock.ts'
import { ApiError } from '../errors.ts'

/** Runs tasks in order, at most `atOnce` at a time. */
export class TaskQueue {
  readonly #atOnce: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  get isIdle(): boolean {
    return this.#running === 0
  }

  /** @throws ApiError `unavailable` if the task has not started by the deadline, in milliseconds on the monotonic clock */
  async run<T>(task: () => Promise<T>, deadline = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#running === this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      if (clock.monotonic() > deadline) throw new ApiError('unavailable')
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}

import { clock } from '../clock.ts'
import { ApiError } from '../errors.ts'

/** Runs tasks in order, at most `maxConcurrent` at a time. */
export class TaskQueue {
  readonly #maxConcurrent: number
  readonly #waiters: (() => void)[] = []
  #runningCount = 0

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent
  }

  get isIdle(): boolean {
    return this.#runningCount === 0
  }

  /** @throws ApiError `unavailable` if the task has not started by the deadline, which is in milliseconds on the monotonic clock */
  async run<T>(task: () => Promise<T>, deadline = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#runningCount === this.#maxConcurrent) await new Promise<void>((resolve) => this.#waiters.push(resolve))
    else this.#runningCount++
    try {
      if (clock.monotonic() > deadline) throw new ApiError('unavailable')
      return await task()
    } finally {
      const next = this.#waiters.shift()
      if (next) next()
      else this.#runningCount--
    }
  }
}

import { ApiError } from '../errors.ts'

/** Runs tasks in the order of asking, so many of them at a time. */
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

  /**
   * @param deadline when waiting ends, in milliseconds since 1970; what runs by then may finish
   * @throws ApiError `unavailable` when it is not the task's turn by then
   */
  async run<T>(task: () => Promise<T>, deadline = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#running === this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      if (Date.now() > deadline) throw new ApiError('unavailable')
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}

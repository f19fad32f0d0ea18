import { EventEmitter, once } from 'node:events'

/** Tells waiting pollers that something was written, so that they need not ask the engines all the time. */
export class Wake {
  count = 0
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  written(): void {
    this.count++
    this.#emitter.emit('written')
  }

  /** Waits until something was written since the count was read, or the time is over. True when it was. */
  async since(count: number, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)])
    if (this.count === count) await once(this.#emitter, 'written', { signal: ended }).catch(() => undefined)
    return this.count !== count
  }
}

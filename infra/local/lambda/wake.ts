import { EventEmitter, once } from 'node:events'

/** Notifies waiting pollers of writes, so that they need not poll the engines constantly. */
export class WakeSignal {
  count = 0
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  notify(): void {
    this.count++
    this.#emitter.emit('written')
  }

  /** Waits until `count` has changed or the time has elapsed. Returns true if `count` has changed. */
  async since(count: number, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const endSignal = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)])
    if (this.count === count) await once(this.#emitter, 'written', { signal: endSignal }).catch(() => undefined)
    return this.count !== count
  }
}
